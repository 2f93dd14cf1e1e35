"""What decides around the questions: what agents inherit, and how they write, judge and moderate."""
