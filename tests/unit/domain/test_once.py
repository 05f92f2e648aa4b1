from r_memory.domain.once import once_for


def copied(words: list[str]) -> list[str]:
    return [*words]


def test_what_is_made_of_an_object_is_made_once_and_of_its_equal_anew() -> None:
    made = once_for(copied)
    one, other = ["a"], ["a"]

    assert made(one) is made(one)
    assert made(one) is not made(other)


def test_a_few_are_kept_and_what_is_asked_for_again_is_right() -> None:
    made = once_for(copied)
    every = [[str(number)] for number in range(40)]

    assert [made(words) for words in (*every, *every)] == [*every, *every]
