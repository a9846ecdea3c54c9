def test_x(engine):
    from rag.documents import read_document
    for r in ["urn:lex:ma:940cmr:3.17:4","940 CMR 3.00","940 CMR 3.17(4)","16 CFR 310.4","M.G.L. c. 93A, § 2","940 CMR 3.08","940 CMR 3.18","940 CMR 3.99","blah blah", "urn:lex:us-ma:940cmr", "940 CMR 3.17(4) and (5)"]:
        print(read_document(engine, r).model_dump_json(indent=1)[:3500])
