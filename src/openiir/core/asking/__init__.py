"""How agents are asked: questions, answerers, and the reading of replies."""
