"""All a plug-in author imports: the four methods, the stage, actions and surfaces."""
