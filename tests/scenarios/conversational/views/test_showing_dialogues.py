"""Views of dialogues on a terminal."""


def test_a_number_picks_the_first_dialogues_and_an_id_those_of_a_user(openiir, tmp_path):
    run = tmp_path / "run"
    small = (
        "config.dialogues=2",
        "config.systems=['random', 'oracle']",
        "config.simulators=['agenda']",
        "config.judge.dialogues=0",
        "config.data.synthetic.users=30",
        "config.data.synthetic.items=60",
    )
    done = openiir("run", "conversational", "--out", run, *(word for one in small for word in ("--set", one)))
    assert done.code == 0, done.err
    first = openiir("show", run, "dialogue", "--n", 1).out
    assert first.count("need 1: agenda meets") == 1 and "meets oracle" not in first
    assert first.count("— end —") == 1
    whole = openiir("show", run, "dialogue").out
    assert whole.count("— end —") == 4
    one = openiir("show", run, "dialogue", "--agent", "seeker-2", "--n", 1).out
    assert "need 2: agenda meets random" in one and one.count("— end —") == 1
    assert "failed" in openiir("show", run, "results").out
