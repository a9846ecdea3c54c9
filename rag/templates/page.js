// Comfort only: every page works without this file.
"use strict";
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const said = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  });
}
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (typing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    typing.form.requestSubmit();
  } else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const go = { "/": ["[data-first]", "#go"], "[": ["a[rel=prev]"], "]": ["a[rel=next]"] }[event.key] || [];
    const found = go.map((one) => document.querySelector(one)).find((one) => one && one.offsetParent);
    if (found) {
      event.preventDefault();
      if (event.key === "/") found.focus(); else found.click();
    }
  }
});
