"""What users, systems and judges are asked in a dialogue."""
