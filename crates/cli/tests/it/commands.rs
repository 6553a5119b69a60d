//! Commands with their exact output; `TRYCMD=overwrite` writes it anew for review.

#[test]
fn commands_print_what_their_pages_say() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
