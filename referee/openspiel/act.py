"""The form of an answer in the games of OpenSpiel."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from referee.rules.form import Form


class Act(Form, forbid_unknown_fields=True):
    """An action of OpenSpiel, by its number or by its text; where both are sent, they agree."""

    action: (
        Annotated[int, Meta(ge=0, description="The number: one of the legal actions.")] | UnsetType
    ) = UNSET
    text: (
        Annotated[str, Meta(description="What the action is called, as in the view's `texts`.")]
        | UnsetType
    ) = UNSET
