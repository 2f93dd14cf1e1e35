"""Views of a panel for people: transcript, report, graph, series and interviews."""
