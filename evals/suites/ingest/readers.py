"""The independent readers, by the name of the format they read."""

from __future__ import annotations

from evals.suites.ingest.cfr import ecfr_xml, eregs_json, regml
from evals.suites.ingest.de import de_md, de_tei
from evals.suites.ingest.fr import legalize_md, legi_json
from evals.suites.ingest.gb import akn, clml
from evals.suites.ingest.jp import egov_xml
from evals.suites.ingest.model import Reader
from evals.suites.ingest.records import courtlistener_jsonl, gdpr_json, lexjsonl, passages_json
from evals.suites.ingest.us import dc_xml, md_statutes_jsonl, uslm

READERS: dict[str, Reader] = {
    "akn": akn,
    "clml": clml,
    "courtlistener_jsonl": courtlistener_jsonl,
    "dc_xml": dc_xml,
    "de_md": de_md,
    "de_tei": de_tei,
    "ecfr_xml": ecfr_xml,
    "egov_xml": egov_xml,
    "eregs_json": eregs_json,
    "gdpr_json": gdpr_json,
    "legalize_md": legalize_md,
    "legi_json": legi_json,
    "lexjsonl": lexjsonl,
    "md_statutes_jsonl": md_statutes_jsonl,
    "passages_json": passages_json,
    "regml": regml,
    "uslm": uslm,
}
