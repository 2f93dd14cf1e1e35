"""What users are like and how they decide, fitted to data: models that know no study and no question."""
