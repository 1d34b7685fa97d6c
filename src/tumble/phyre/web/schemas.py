"""What the browser sends."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tumble.phyre.web.task_data import TASK_ID

TaskId = Annotated[str, Field(pattern=f"^{TASK_ID}$")]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class AttemptRequest(BaseModel):
    """An attempt at a task: x, y and radius of each ball, from 0 to 1, as agents give them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task: TaskId
    action: Annotated[list[Share], Field(min_length=3, max_length=6)]
