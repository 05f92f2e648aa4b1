from r_memory.serving.tools.schemas import portable_input, portable_output


def test_input_is_closed_and_holds_no_reference() -> None:
    inner = {"title": "Inner", "type": "object", "properties": {"a": {"type": "string", "title": "A"}}}
    schema = {
        "title": "Outer",
        "type": "object",
        "$defs": {"Inner": inner},
        "properties": {"many": {"title": "Many", "type": "array", "items": {"$ref": "#/$defs/Inner"}}},
        "required": ["many"],
    }
    expected = {
        "type": "object",
        "properties": {"many": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}},
        "additionalProperties": False,
        "required": ["many"],
    }
    assert portable_input(schema) == expected


def test_an_argument_required_in_addition_loses_its_default() -> None:
    schema = {"type": "object", "properties": {"subject": {"type": "string", "default": ""}}}
    assert portable_input(schema, also_required=["subject", "absent"]) == {
        "type": "object",
        "properties": {"subject": {"type": "string"}},
        "additionalProperties": False,
        "required": ["subject"],
    }


def test_a_property_called_title_survives() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string", "title": "Title", "default": ""}}}
    assert portable_output(schema) == {"type": "object", "properties": {"title": {"type": "string"}}}


def test_output_keeps_references_and_loses_words_and_what_its_parts_must_have() -> None:
    schema = {
        "description": "A result.",
        "$defs": {"Fact": {"description": "A fact.", "type": "object", "properties": {}, "required": ["id"]}},
        "type": "object",
        "properties": {"fact": {"$ref": "#/$defs/Fact", "description": "The fact."}},
        "required": ["fact"],
    }
    assert portable_output(schema) == {
        "$defs": {"Fact": {"type": "object", "properties": {}}},
        "type": "object",
        "properties": {"fact": {"$ref": "#/$defs/Fact"}},
        "required": ["fact"],
    }


def test_an_empty_default_goes_without_saying_and_a_telling_one_stays() -> None:
    properties = {"text": {"type": "string", "default": ""}, "limit": {"type": "integer", "default": 50}}
    assert portable_input({"type": "object", "properties": properties})["properties"] == {
        "text": {"type": "string"},
        "limit": {"type": "integer", "default": 50},
    }


def test_the_schema_that_was_given_is_not_changed() -> None:
    schema = {"type": "object", "properties": {"subject": {"type": "string", "default": ""}}}
    portable_input(schema, also_required=["subject"])
    assert schema == {"type": "object", "properties": {"subject": {"type": "string", "default": ""}}}
