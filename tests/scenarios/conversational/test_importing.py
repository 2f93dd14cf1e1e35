"""Configurations of UserSimCRS as studies."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from openiir.kit.dialogue.formats import Imported
from openiir.plugin import InputError
from openiir.runs.study import load_study
from openiir.scenarios.conversational.config import ConversationalConfig
from openiir.scenarios.conversational.importing import model_of, study_of, study_toml

DATA = os.environ.get("OPENIIR_DATA")

CONFIG = """
output_name: "My Run"
num_simulated_dialogues: 7
fix_random_seed: True
agent_class_path: "sample_agents.moviebot_agent.MovieBotAgent"
agent_id: "IAI MovieBot"
agent_uri: "http://127.0.0.1:5001"
simulator_class_path: "usersimcrs.simulator.agenda_based.agenda_based_simulator.AgendaBasedSimulator"
domain: data/domain.yaml
intents: data/intents.yaml
collection_name: Films 1
items: data/films.csv
id_col: id
domain_mapping: {title: {slot: TITLE}, genres: {slot: GENRE, multi-valued: True, delimiter: "|"}}
ratings: data/ratings.csv
historical_ratings_ratio: 0.8
dialogues: data/talks.json
"""
DOMAIN = "name: movies\nslot_names: {TITLE: , GENRE: , PLOT: }\nrequestable_slots: [PLOT, GENRE]\ninformable_slots: [GENRE]\n"
INTENTS = "required_intents: {INTENT_LIKE: YEAH}\nuser_intents: {YEAH: }\nREWARD: {cost: 1}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "config").mkdir()
    for name, text in (
        ("domain.yaml", DOMAIN),
        ("intents.yaml", INTENTS),
        ("ratings.csv", "who,what,stars,when\n1,2,3,4\n"),
    ):
        (tmp_path / "data" / name).write_text(text)
    return tmp_path


def imported(root: Path, text: str) -> Imported[dict[str, Any]]:
    (root / "config" / "cfg.yaml").write_text(text)
    return study_of(root / "config" / "cfg.yaml")


def left(found: Imported[Any]) -> list[str]:
    return [one.key for one in found.left_out]


def test_a_configuration_becomes_a_study(root: Path) -> None:
    found = imported(root, CONFIG)
    assert found.value == {
        "type": "conversational",
        "name": "my-run",
        "seed": 0,
        "config": {
            "dialogues": 7,
            "held_out": 0.2,
            "data": {
                "name": "films-1",
                "kind": "movie",
                "items": {
                    "file": "data/films.csv",
                    "key": "id",
                    "title": "title",
                    "attributes": {"genre": "genres"},
                    "lists": {"genre": "|"},
                },
                "ratings": {
                    "file": "data/ratings.csv",
                    "user": "who",
                    "item": "what",
                    "rating": "stars",
                    "scale": [0.5, 5.0, 0.5],
                },
            },
            "needs": {"informable": ["genre"], "requestable": ["genre"]},
            "simulators": [{"name": "agenda", "by": "agenda", "dialogues": "data/talks.json"}],
            "systems": [{"name": "iai-moviebot", "by": "system:iai-moviebot"}],
        },
        "system": {"iai-moviebot": {"ready": "moviebot", "url": "http://127.0.0.1:5001"}},
    }
    assert left(found) == ["domain.requestable_slots.plot", "intents", "intents.REWARD.cost"]


def test_its_toml_says_what_was_left_out_and_reads_back(root: Path) -> None:
    found = imported(root, CONFIG)
    text = study_toml(found)
    assert tomllib.loads(text) == found.value
    assert text.startswith("# Not carried over:\n# domain.requestable_slots.plot: ")


def test_the_study_is_one_that_runs_are_made_of(root: Path) -> None:
    films = [f"{n},Film {n},{a}|{b}" for n, (a, b) in enumerate((a, b) for a in "pqrst" for b in "uvw")]
    (root / "data" / "films.csv").write_text("\n".join(["id,title,genres", *films]))
    (root / "data" / "ratings.csv").write_text(
        "who,what,stars\n" + "\n".join(f"u{n % 3},{n},{n % 5 + 0.5}" for n in range(15))
    )
    act = {"intent": "DISCLOSE", "slot_values": [["GENRE", "crime", None, None]]}
    said = {"participant": "USER", "utterance": "Something with crime, please.", "dialogue_acts": [act]}
    talks = [{"conversation_id": "1", "conversation": [said]}]
    (root / "data" / "talks.json").write_text(json.dumps(talks))
    (root / "study.toml").write_text(study_toml(imported(root, CONFIG)))
    loaded = load_study(str(root / "study.toml"))
    assert loaded.study.system["iai-moviebot"].url == "http://127.0.0.1:5001"
    assert loaded.config.systems[0].by == "system:iai-moviebot"


@pytest.mark.parametrize(
    ("simulator", "kinds"),
    [
        ("SinglePrompt", {"conversational.speak"}),
        ("DualPrompt", {"conversational.stop", "conversational.go-on"}),
    ],
)
def test_prompted_simulators_are_asked_by_model(simulator: str, kinds: set[str], root: Path) -> None:
    (root / "data" / "llm.yaml").write_text("model: m:1\nhost: h\noptions: {temperature: 0, mirostat: 1}\n")
    text = f"simulator_class_path: a.{simulator}UserSimulator\nagent_class_path: b.iEvaLMAgent\nagent_uri: http://h\nagent_id: kbrd\n"
    text += "domain: data/domain.yaml\ndialogues: d.json\nllm_interface: {llm_interface_args: {configuration_path: data/llm.yaml}}\n"
    found = imported(root, text)
    assert found.value["answers"] == {"kind": dict.fromkeys(kinds, "model")}
    assert found.value["model"] == {"name": "m:1", "temperature": 0}
    assert found.value["system"] == {"kbrd": {"ready": "crs-arena", "url": "http://h"}}
    assert {"dialogues", "llm_interface.host", "llm_interface.options.mirostat", "items"} <= set(left(found))


def test_what_nothing_here_stands_for_is_said(root: Path) -> None:
    found = imported(
        root,
        "simulator_class_path: a.TUS\nagent_class_path: b.Strange\nratings: r.csv\nmood: glad\nfix_random_seed: False\n",
    )
    assert found.value["config"] == {"simulators": [{"name": "agenda", "by": "agenda"}]}
    assert left(found) == [
        "fix_random_seed",
        "items",
        "ratings",
        "simulator_class_path",
        "agent_class_path",
        "mood",
    ]


def test_files_that_are_not_there_are_said(root: Path) -> None:
    for file in ("intents.yaml", "ratings.csv"):
        (root / "data" / file).unlink()
    assert {"intents", "ratings"} <= set(left(imported(root, CONFIG)))
    (root / "data" / "domain.yaml").unlink()
    found = imported(root, CONFIG)
    assert "domain" in left(found) and "needs" not in found.value["config"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: m", "names neither a simulator nor an agent"),
        ("agent_class_path: A\nnum_simulated_dialogues: many", "config.dialogues cannot be"),
        (CONFIG.replace("data/domain.yaml", "data/ratings.csv"), "ratings.csv.*holds a text"),
    ],
)
def test_what_is_no_configuration_is_refused(text: str, said: str, root: Path) -> None:
    with pytest.raises(InputError, match=said):
        imported(root, text)


@pytest.mark.parametrize("new", ["", "x", "3", "-1.5", "[]", "[x]", "{}", "{x: 1}", "true", "null"])
def test_any_key_may_be_anything(new: str, root: Path) -> None:
    keys = [line.partition(":")[0] for line in CONFIG.strip().splitlines()] + ["llm_interface"]
    text = CONFIG.replace('AgendaBasedSimulator"', 'DualPromptSimulator"') + "llm_interface: {}\n"
    for key in keys:
        changed = "\n".join(
            f"{key}: {new}" if line.startswith(f"{key}:") else line for line in text.splitlines()
        )
        try:
            found = imported(root, changed)
        except InputError as error:
            assert "config/cfg.yaml" in str(error) or "data/" in str(error)
        else:
            assert tomllib.loads(study_toml(found)) == found.value


def test_ratings_need_three_columns(root: Path) -> None:
    (root / "data" / "ratings.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="ratings.csv has 2 columns"):
        imported(root, CONFIG)


@pytest.mark.skipif(not DATA, reason="OPENIIR_DATA is not set: the published configurations are not here")
def test_published_configurations_are_imported_or_refused(tmp_path: Path) -> None:
    folder = Path(DATA or "") / "crs" / "usersimcrs_configs"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    (tmp_path / "data").mkdir()
    for name in ("domains", "interaction_models"):
        (tmp_path / "data" / name).symlink_to(folder / name)
    found = study_of(folder / "config/default/config_default.yaml", tmp_path)
    config = ConversationalConfig.model_validate(found.value["config"])
    assert (config.dialogues, config.needs.informable, config.needs.requestable) == (
        100,
        ("keyword",),
        ("genre", "keyword"),
    )
    assert found.value["system"]["iai-moviebot"]["ready"] == "moviebot"
    assert {"nlu", "nlg", "ratings", "intents.agent_inquire_intents.INQUIRE"} <= set(left(found))
    interfaces = folder / "config/llm_interface"
    assert model_of(interfaces / "config_ollama_default.yaml").value == {
        "name": "mistral-nemo:latest",
        "temperature": 0.7,
    }
    assert left(model_of(interfaces / "config_openai_default.yaml")) == ["api_key"]
    with pytest.raises(InputError, match="names no model"):
        model_of(interfaces / "config_llm_interface_information_need.yaml")
    for labels in ("user", "agent"):
        with pytest.raises(InputError, match="neither a simulator nor an agent"):
            study_of(folder / f"config/nlu/{labels}_dialogue_acts_extraction_config_default.yaml")
