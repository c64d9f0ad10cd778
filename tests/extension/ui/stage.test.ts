// @vitest-environment happy-dom
// The way from a file to a trained model, as the buttons of the pages: what each phase offers and what it asks for.
import { beforeEach, describe, expect, it } from "vitest";
import type { RunState } from "../../../extension/src/messages/state.ts";
import { Stage } from "../../../extension/src/ui/stage.ts";
import { description, stateOf } from "./states.ts";
import {
  all,
  choose,
  one,
  Recorder,
  settle,
  snapshotOf,
  type,
} from "./recorder.ts";

let actions: Recorder;
let stage: Stage;

function open(pickElsewhere: (() => void) | null = null): void {
  document.body.replaceChildren();
  actions = new Recorder();
  stage = new Stage(actions, {
    pickElsewhere,
    chart: null,
    storage: localStorage,
  });
  document.body.append(stage.body, stage.foot);
}

function show(
  state: RunState | null,
  busy: Parameters<typeof snapshotOf>[1] = [],
): void {
  stage.update(snapshotOf(state, busy));
}

beforeEach(() => {
  localStorage.clear();
  open();
});

describe("picking", () => {
  it("opens the example, a chosen file and a file of the host", async () => {
    show(stateOf("empty"));
    one("example-open").click();
    const input = input("file-input");
    const file = new File(["a,b\n1,2\n"], "mine.csv");
    Object.defineProperty(input, "files", { value: [file] });
    input.dispatchEvent(new Event("change"));
    actions.answers["host.list"] = {
      path: "",
      entries: [
        {
          name: "waves.csv",
          path: "Data/waves.csv",
          kind: "file",
          size: 10,
          modified: null,
        },
      ],
    };
    one("host-open").click();
    await settle();
    one("host-entry").click();
    expect(actions.of("dataset.open").map(({ source }) => source)).toEqual([
      { kind: "example", name: "seattle-weather.csv" },
      { kind: "file", file },
      { kind: "host", path: "Data/waves.csv" },
    ]);
  });

  it("goes down into folders and back", async () => {
    show(stateOf("empty"));
    const folder = {
      name: "daily",
      path: "Data/daily",
      kind: "folder" as const,
      size: null,
      modified: null,
    };
    actions.answers["host.list"] = { path: "", entries: [folder] };
    one("host-open").click();
    await settle();
    expect(one("host-entry").textContent).toContain("daily/");
    one("host-entry").click();
    await settle();
    one("host-up").click();
    await settle();
    expect(actions.of("host.list").map(({ path }) => path)).toEqual([
      undefined,
      "Data/daily",
      undefined,
    ]);
  });

  it("says in one line what the host would add, and looks again when asked", () => {
    const message = "Install the host to read files of a folder.";
    const host = {
      ...stateOf("empty").host,
      state: "missing" as const,
      message,
    };
    show(stateOf("empty", { host }));
    expect(one("host-state").textContent).toBe(message);
    expect(one("host-open").hidden).toBe(true);
    one("host-connect").click();
    expect(actions.of("host.connect")).toHaveLength(1);
  });

  it("sends people to the dashboard where a file chooser would close the page", () => {
    let went = 0;
    open(() => {
      went += 1;
    });
    show(stateOf("empty"));
    expect(all("file-input")).toHaveLength(0);
    one("pick-in-dashboard").click();
    expect(went).toBe(1);
  });

  it("offers the last run, for more epochs when it had reached its end", () => {
    const { source } = stateOf("ready");
    const checkpoint = { store: "browser" as const, id: "run-720.safetensors" };
    const lastRun = {
      source: source!,
      checkpoint,
      step: 180,
      epoch: 5,
      epochs: 20,
      loss: 0.1,
      time: 1,
    };
    show(stateOf("empty", { lastRun }));
    one("last-run-resume").click();
    show(stateOf("empty", { lastRun: { ...lastRun, epoch: 20 } }));
    one("last-run-resume").click();
    const asked = actions.of("checkpoint.resume");
    expect(asked.map(({ id, epochs }) => [id, epochs])).toEqual([
      ["run-720.safetensors", undefined],
      ["run-720.safetensors", 10],
    ]);
  });

  it("can call off a long reading", () => {
    show(stateOf("reading"));
    expect(one("reading").textContent).toContain("31 kB of 48 kB · 940 rows");
    one("cancel-reading").click();
    expect(actions.of("dataset.close")).toHaveLength(1);
  });
});

describe("set-up", () => {
  it("shows columns with types and statistics, and why some cannot be forecast", () => {
    show(stateOf("ready"));
    expect(all("column-row").map((row) => row.textContent)).toContain(
      "weathercategory5 values",
    );
    const target = select("target");
    expect(
      [...target.options]
        .filter(({ disabled }) => disabled)
        .map(({ text }) => text),
    ).toEqual([
      "date (dates, not numbers)",
      "weather (categories, not numbers)",
    ]);
    const boxes = all<HTMLInputElement>("feature");
    expect(boxes.map(({ disabled }) => disabled)).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(boxes.map(({ checked }) => checked)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it("lists repairs with line and column", () => {
    show(stateOf("ready"));
    expect(one("repairs").textContent).toContain("Line 640, column 2:");
  });

  it("starts a run with what was chosen", () => {
    show(stateOf("ready"));
    choose(select("target"), "wind");
    const [, precipitation] = all<HTMLInputElement>("feature");
    precipitation!.click();
    type(input("look-back"), "14");
    type(input("epochs"), "3");
    choose(select("device-choice"), "webgl");
    all<HTMLInputElement>("model-size")[2]!.click();
    one("train").click();
    const [start] = actions.of("run.start");
    expect(start?.config.data).toMatchObject({
      target: "wind",
      lookBack: 14,
      features: ["temp_max", "temp_min", "wind"],
    });
    expect(start?.config.training).toMatchObject({
      epochs: 3,
      device: "webgl",
    });
    expect(start?.config.model).toEqual({
      name: "lstm",
      hidden: 64,
      layers: 1,
      dropout: 0,
    });
  });

  it("makes the advanced fields from the model registry, tied to the size", () => {
    show(stateOf("ready"));
    const fields = all<HTMLInputElement>("model-field");
    expect(fields.map(({ dataset }) => dataset["field"])).toEqual([
      "hidden",
      "layers",
      "dropout",
    ]);
    expect(fields[2]).toMatchObject({ min: "0", max: "0.9" });
    type(fields[0]!, "48");
    expect(
      all<HTMLInputElement>("model-size").some(({ checked }) => checked),
    ).toBe(false);
    one("train").click();
    expect(actions.of("run.start")[0]?.config.model["hidden"]).toBe(48);
  });

  it("refuses to train on a bad field and says why beside it", () => {
    show(stateOf("ready"));
    const horizon = input("horizon");
    type(horizon, "0");
    expect(button("train").disabled).toBe(true);
    expect(horizon.getAttribute("aria-invalid")).toBe("true");
    const problem = document.getElementById(
      horizon.getAttribute("aria-errormessage") ?? "",
    );
    expect(problem?.textContent).toMatch(/whole number from 1/);
    type(horizon, "2");
    expect(button("train").disabled).toBe(false);
    expect(horizon.hasAttribute("aria-invalid")).toBe(false);
  });

  it("says that a file without numbers cannot be trained on", () => {
    const texts = description({
      columns: description().columns.filter(
        ({ type: kind }) => kind !== "number",
      ),
    });
    show(stateOf("ready", { description: texts }));
    expect(button("train").disabled).toBe(true);
    expect(document.body.textContent).toContain("no column of numbers");
  });

  it("keeps the choices when the page is closed and opened again, for the same file only", () => {
    show(stateOf("ready"));
    type(input("epochs"), "7");
    open();
    show(stateOf("ready"));
    expect(input("epochs").value).toBe("7");
    open();
    show(stateOf("ready", { description: description({ rows: 900 }) }));
    expect(input("epochs").value).toBe("20");
  });

  it("ignores a draft that somebody spoiled", () => {
    localStorage.setItem("shadegrad.draft", '{"identity":');
    show(stateOf("ready"));
    expect(input("epochs").value).toBe("20");
  });

  it("cannot be sent twice", () => {
    show(stateOf("ready"), ["run.start"]);
    expect(button("train").disabled).toBe(true);
  });
});

describe("a run", () => {
  it("offers no second run to a page that comes later", () => {
    show(stateOf("training"));
    expect(all("train")).toHaveLength(0);
    expect(one("step").textContent).toBe("194");
    expect(one("device").textContent).toBe("CPU");
  });

  it("pauses, resumes, saves and stops", async () => {
    show(stateOf("training"));
    expect(one("resume").hidden).toBe(true);
    one("pause").click();
    show(stateOf("paused"));
    expect(one("pause").hidden).toBe(true);
    one("resume").click();
    const [entry] = stateOf("training").checkpoints;
    actions.answers["checkpoint.save"] = entry!;
    one("save").click();
    await settle();
    one("stop").click();
    expect(actions.commands.map((command) => command.type)).toEqual([
      "run.pause",
      "run.resume",
      "checkpoint.save",
      "run.stop",
    ]);
    expect(actions.told[0]?.message).toContain(
      "seattle-weather-20260514-0941-180.safetensors (Shadegrad folder)",
    );
  });

  it("hands the keyboard from Pause to Resume", () => {
    show(stateOf("training"));
    one("pause").focus();
    show(stateOf("paused"));
    expect(document.activeElement).toBe(one("resume"));
  });

  it("changes figures in place", () => {
    show(stateOf("training"));
    const step = one("step");
    const state = stateOf("training");
    show({
      ...state,
      progress: state.progress && { ...state.progress, step: 195 },
    });
    expect(one("step")).toBe(step);
    expect(step.textContent).toBe("195");
  });
});

describe("the result", () => {
  it("shows the verdict beside both simple forecasts", () => {
    show(stateOf("finished"));
    expect(one("verdict").dataset["kind"]).toBe("better");
    expect(one("naive-loss").textContent).toBe("0.1830");
    expect(one("seasonal-loss").textContent).toBe("0.1610");
  });

  it("trains more from its own end: saves, then resumes for so many epochs more", async () => {
    show(stateOf("finished"));
    const [entry] = stateOf("finished").checkpoints;
    actions.answers["checkpoint.save"] = entry!;
    input("more-epochs").value = "4";
    one("train-more").click();
    await settle();
    expect(actions.of("checkpoint.resume")[0]).toMatchObject({
      store: "host",
      id: entry!.id,
      epochs: 4,
    });
  });

  it("does not resume when saving failed", async () => {
    show(stateOf("finished"));
    one("train-more").click();
    await settle();
    expect(actions.of("checkpoint.resume")).toHaveLength(0);
  });

  it("leads to a new run on the same file, and back to the run once it starts", () => {
    show(stateOf("finished"));
    one("new-run").click();
    show(stateOf("finished"));
    one("train").click();
    expect(actions.of("run.start")).toHaveLength(1);
    show(stateOf("training"));
    expect(all("train")).toHaveLength(0);
    show(stateOf("finished"));
    expect(all("verdict")).toHaveLength(1);
  });

  it("offers no saving of a run that failed", () => {
    show(stateOf("failed"));
    expect(button("save").disabled).toBe(true);
    expect(button("train-more").disabled).toBe(true);
  });
});

describe("without the worker", () => {
  it("waits, and offers to try again when it does not come", () => {
    show(null);
    expect(one("retry-connection").hidden).toBe(true);
    stage.update({ ...snapshotOf(null), connection: "failed" });
    one("retry-connection").click();
    expect(actions.reconnects).toBe(1);
  });
});
