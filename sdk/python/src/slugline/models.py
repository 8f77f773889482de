"""Objects of requests and responses, as the API describes them."""

from ._api.models import *  # noqa: F403
from ._api.models import __all__ as __all__
from ._api.types import UNSET as UNSET
from ._api.types import Unset as Unset
