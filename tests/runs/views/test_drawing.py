import json

from openiir.cli.claims import import_claims
from openiir.runs.views import drawing


def test_a_terminal_gets_the_first_claims_of_a_graph_and_a_file_gets_all(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(drawing, "MOST", 2)
    nodes = [{"nodeID": f"c{n}", "type": "I", "text": f"Claim {n}."} for n in range(5)]
    (tmp_path / "g.json").write_text(json.dumps({"nodes": nodes, "edges": []}))
    import_claims(tmp_path / "g.json", "", "text", None)
    shown = capsys.readouterr().out
    assert "5 claims" in shown and "Claim 1." in shown and "Claim 2." not in shown
    assert "3 more claims; --out FILE" in shown
    import_claims(tmp_path / "g.json", "", "text", tmp_path / "g.txt")
    assert "Claim 4." in (tmp_path / "g.txt").read_text()
