"""Social-Media: study how posts spread, are reacted to and move opinions on a simulated network."""

from openiir.scenarios.social_media.scenario import SocialMedia

__all__ = ["SocialMedia"]
