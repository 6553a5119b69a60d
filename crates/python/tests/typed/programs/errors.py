"""What can go wrong, by the exceptions that Python has for it."""
import probare


def tried(path: str) -> str:
    try:
        probare.score(path, "token_f1", strict=True)
    except FileNotFoundError as error:
        return f"no file: {error}"
    except (ValueError, TypeError) as error:
        return f"wrong arguments: {error}"
    except probare.DataError as error:
        return error.hint or error.message
    return "fine"
