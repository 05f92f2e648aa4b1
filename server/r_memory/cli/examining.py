"""`exam`: asks the configured model about the exam of the domain, prints its marks, and keeps them.

The last exam of a model, address, schema and prompt decides whether its reading counts.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

from typer import Option

from r_memory.cli.app import Exit
from r_memory.cli.printing import Answer, Grid, Part, counted, day_of, on_settings, progress
from r_memory.cli.running import keep_logs_quiet
from r_memory.config.exam_file import ExamRuns, exam_of, load_exam
from r_memory.config.prompt_file import load_prompt
from r_memory.config.settings import Settings
from r_memory.domain.exams import RISKS_KEPT, UNSTATED, ExamLine, ExamRun, LineMark, Marks, standing
from r_memory.errors import InvalidInput
from r_memory.reading.chat import ChatExtractor
from r_memory.reading.exam import Counting, Exam
from r_memory.reading.reader import Reader
from r_memory.wiring import SystemClock, open_model
from r_memory.wiring.language import examinee, open_reader


@on_settings
def exam(
    settings: Settings,
    listed: Annotated[bool, Option("--list", help="Only list the exams that were taken; asks no model.")] = False,
) -> Answer:
    """Examines the language model that reads: its marks by kind of harm, and whether its reading counts.

    The model is asked about the lines of schema/exam/, through the prompt and the validator that read what people say.
    Only an exam taken to its end is kept. Exit code 1 means that it was not passed, or broke off.
    """
    keep_logs_quiet()
    runs = ExamRuns(settings.data_dir)
    if listed:
        taken = runs.all()
        return Answer(data={"runs": taken}, shown=_listed(taken))
    asked = settings.with_small_model
    if not (asked.model_url and asked.model_name):
        raise InvalidInput("no model is configured; set R_MEMORY_MODEL_URL and R_MEMORY_MODEL_NAME")
    earlier = runs.all()
    reader = open_reader(settings)
    lines = load_exam(settings.files, reader.schema)
    if not lines:
        where = exam_of(reader.schema.name)
        raise InvalidInput(f"the schema {reader.schema.name} has no exam, so its model is only heard; write {where}")
    with progress("exam", len(lines)) as done:
        run, marks = asyncio.run(_taken(settings, reader, lines, done))
    runs.add(run)
    known = standing(run.examinee, (run,), wanted=settings.model_reading == "counts")
    return Answer(
        data={"passed": run.marks.passed, "state": known.state, "why": known.why, "run": run, "lines": marks},
        shown=[*_marks(run, marks), *_listed([*earlier, run])],
        code=Exit.DONE if run.marks.passed else Exit.CHECK_FAILED,
    )


async def _taken(
    settings: Settings, reader: Reader, lines: Sequence[ExamLine], done: Callable[[], None]
) -> tuple[ExamRun, Sequence[LineMark]]:
    async with open_model(settings.with_small_model) as chat:
        model = Counting(chat)
        extractor = ChatExtractor(model, load_prompt(settings.files), reader.schema, reader.linker)
        marks = await Exam(extractor=extractor, model=model, reader=reader, lines=lines).taken(done)
    kinds = dict.fromkeys(mark.kind for mark in marks)
    run = ExamRun(
        at=SystemClock().now(),
        examinee=examinee(settings, reader.schema, extractor.prompt_digest),
        marks=Marks.of(marks),
        kinds={kind: Marks.of([mark for mark in marks if mark.kind == kind]) for kind in kinds},
    )
    return run, marks


def _marks(run: ExamRun, lines: Sequence[LineMark]) -> Iterator[Part]:
    marks, who = run.marks, run.examinee
    taken = f"{who.model} on the exam of {who.schema} {who.schema_version}, prompt {who.prompt}"
    yield f"{taken}: {counted(marks.lines, 'line')}"
    each_s = marks.seconds / marks.lines if marks.lines else 0.0
    rows = [
        ("risks kept", f"{marks.kept} of {marks.risks}", f"at least {RISKS_KEPT:.0%}"),
        ("facts nobody stated", f"{marks.unstated} of {marks.stated}", f"at most {UNSTATED:.0%}"),
        ("false absences", str(marks.false_absences), "0"),
        ("wrong person", str(marks.wrong_person), "0"),
        ("malformed answers", str(marks.malformed), ""),
        ("time", f"{marks.seconds:.0f} s, {each_s:.1f} s a line", ""),
        ("tokens", f"{marks.tokens}, estimated", ""),
    ]
    yield Grid(("Mark", "Value", "Passed"), rows)
    kinds = [
        (kind, of.lines, f"{of.kept} of {of.risks}", of.unstated, of.false_absences, of.wrong_person, of.malformed)
        for kind, of in run.kinds.items()
    ]
    yield Grid(
        ("Kind of line", "Lines", "Risks kept", "Unstated", "False absences", "Wrong person", "Malformed"), kinds
    )
    harmful = [line.id for line in lines if line.unstated or line.false_absences or line.wrong_person]
    missed = [line.id for line in lines if line.kept < line.risks]
    yield f"Harm done in: {', '.join(harmful) or 'none'}."
    yield f"Risks missed in: {', '.join(missed) or 'none'}."
    if marks.passed:
        yield "Passed: its reading counts, once a server that runs was started again."
    else:
        yield f"Not passed: {'; '.join(marks.failings)}. Its reading is only heard."


def _listed(runs: Sequence[ExamRun]) -> Iterator[Part]:
    if not runs:
        yield "No exam was taken."
        return
    rows = [
        (
            day_of(run.at, time=True),
            run.examinee.model,
            f"{run.examinee.schema} {run.examinee.schema_version}",
            run.examinee.prompt,
            "passed" if run.marks.passed else "not passed",
            f"{run.marks.kept} of {run.marks.risks}",
            f"{run.marks.unstated} / {run.marks.false_absences} / {run.marks.wrong_person}",
        )
        for run in runs
    ]
    yield Grid(
        ("Taken", "Model", "Schema", "Prompt", "", "Risks kept", "Unstated / false absences / wrong person"), rows
    )
