"""Invented names for drafted personas: 1,600 distinct pairs of given and family names from many languages."""

_GIVEN_NAMES = """
    Ada Bilal Chiara Darko Esme Farid Greta Hamid Ilse Jonas Kaya Luca Maren Nilu Oskar Petra Quim Rosa Sami
    Tala Umar Vera Wilma Xenia Yara Zeno Aiko Bram Carmen Dilan Enzo Freya Goran Hana Ivo Jamila Kofi Lene
    Milo Noor
"""
_FAMILY_NAMES = """
    Abebe Brandt Castell Duarte Eriksen Farkas Gallo Horvat Ibarra Jansen Kovac Laurent Mensah Novak Okoro
    Pires Quist Rahman Sato Tamm Ueda Vidal Weiss Ximenes Yilmaz Zeller Amsel Bakshi Cissé Dahl Ekholm Fontana
    Gruber Haddad Iversen Joshi Keller Lindgren Moreau Nakata
"""

_GIVEN, _FAMILY = _GIVEN_NAMES.split(), _FAMILY_NAMES.split()

NAMES = len(_GIVEN) * len(_FAMILY)
_STRIDE = 607


def invented_name(number: int) -> str:
    """Return the invented name with this number; names repeat after NAMES numbers."""
    place = number * _STRIDE % NAMES
    row, column = divmod(place, len(_GIVEN))
    return f"{_GIVEN[column]} {_FAMILY[(row + column) % len(_FAMILY)]}"
