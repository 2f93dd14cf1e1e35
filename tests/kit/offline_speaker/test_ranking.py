from openiir.kit.offline_speaker.ranking import nearest_text


def test_the_nearest_text_shares_a_word_and_the_first_of_equals_is_taken() -> None:
    texts = ["Rents rise in town.", "Trams are free.", "Trams are free."]
    assert nearest_text("free trams", texts) is texts[1]
    assert nearest_text("wind power", texts) is None and nearest_text("wind power", []) is None
