# %% [markdown]
# # A panel from a notebook
#
# Eight personas discuss whether language models should replace human assessors. This notebook runs the panel, looks at
# it, runs it under several settings and compares them. Everything is offline: nobody is asked but behaviour models.

# %%
import matplotlib.pyplot as plt

import openiir

run = openiir.run("panel", set={"seed": 8}, out="runs/panel", again=True)
run

# %% [markdown]
# ## Look
#
# A view is a picture, a table or a text. `print` prints it, `out="stances.svg"` writes it.

# %%
run.show("stances")

# %%
print(run.show("transcript", n=3))

# %%
run.show("activity")

# %% [markdown]
# The log, the tables of the type and the claims are Arrow tables, which pandas, polars and DuckDB read as they are.

# %%
run.events("panel.speak").select(["step", "actor", "stance", "text"])

# %%
stances = run.table("stances").to_pandas()
moved = stances.groupby("persona")["stance"].agg(["first", "last"])
(moved["last"] - moved["first"]).abs().sort_values(ascending=False).round(2)

# %% [markdown]
# A persona can be asked about its part.

# %%
run.ask("priya-raman", "Should language models replace human assessors?")

# %% [markdown]
# ## Another course
#
# What if from step 12 on nobody were moved by what they hear? The fork shares the first 11 steps.

# %%
stubborn = run.fork(step=12, set={"mu": 0.0}, progress=False)
openiir.compare(run, stubborn)

# %% [markdown]
# ## Sweep and compare
#
# One panel is an anecdote: the unit is the seed. Three values of `mu` (how far one is moved by what one hears), each
# under the same seven seeds, so that differences are taken seed by seed. The measure is named beforehand.

# %%
sweep = openiir.sweep("panel", vary={"config.mu": [0.1, 0.3, 0.6]}, seeds=7, out="runs/mu")
sweep

# %%
found = openiir.compare(sweep, measures=["variance_ratio"])
found

# %%
figure, axes = plt.subplots(figsize=(5, 2.8))
for seed in found.arms[0].seeds:
    values = [next(p.value for p in arm.points if p.seed == seed) for arm in found.measures[0].arms]
    axes.plot([arm.setting["config.mu"] for arm in found.arms], values, "o-", color="0.6", linewidth=0.8)
axes.set(xlabel="mu", ylabel=found.measures[0].measure, title="A grey line is a seed")
plt.show()

# %% [markdown]
# ## The same again
#
# A replay executes the run from its ledger alone; the content hash is the same.

# %%
assert run.replay(progress=False) == run.content
run.verify().list_changes()
