//! Small closed lists of English words that the judgement rests on.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// A fixed set of words.
type Set = LazyLock<FxHashSet<&'static str>>;

/// A fixed table from word to word.
type Table = LazyLock<FxHashMap<&'static str, &'static str>>;

/// Whether a folded word carries no content of its own.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(word)
}

/// Whether it is a title, a rank or a profession that may stand beside a name.
pub(crate) fn is_title(word: &str) -> bool {
    TITLES.contains(word)
}

/// Whether it names a class of things, as `river` does.
pub(crate) fn is_class_noun(word: &str) -> bool {
    CLASS_NOUNS.contains(word)
}

/// Whether it is a small word inside names, as `van` is.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(word)
}

/// Letters of the longest abbreviation that has a long form.
pub(crate) const LONGEST_ABBREVIATION: usize = 6;

/// The long form of an abbreviation, or the word itself.
pub(crate) fn long_form(word: &str) -> &str {
    ABBREVIATIONS.get(word).copied().unwrap_or(word)
}

/// The full form of a short first name, or the word itself.
pub(crate) fn full_first_name(word: &str) -> &str {
    SHORT_NAMES.get(word).copied().unwrap_or(word)
}

/// The words of a list, which are separated by spaces.
fn set(list: &'static str) -> FxHashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}

/// The pairs `short=long` of a list.
fn table(list: &'static str) -> FxHashMap<&'static str, &'static str> {
    list.split_ascii_whitespace().filter_map(|pair| pair.split_once('=')).collect()
}

/// Words that carry no content of their own.
static FUNCTION_WORDS: Set = LazyLock::new(|| {
    set("a about according all also although am among an and any are as at be because been being between both but by \
         called can could d did do does done during each for from had has have having he her him his how i if in into \
         is it its just known ll may me might more most must my named no nor not of on only onto or other our over \
         own per re s same shall she should since so some such t than that the their them then there these they this \
         those though through to too under until upon us ve very via was we were what when where which while who whom \
         whose why will with would you your")
});

/// Words that stand before or behind a name without being part of it.
static TITLES: Set = LazyLock::new(|| {
    set("actor actress admiral agent archduchess archduke architect astronaut author baron baroness brother capt \
         captain chancellor chemist chief coach col colonel commander composer congressman congresswoman cosmonaut \
         count countess czar dame detective director doctor dr driver drummer duchess duke earl emperor empress \
         engineer esq explorer famous father footballer gen general gov governor guitarist hon imam inspector \
         inventor jr judge junior justice kaiser king lady late legendary lieutenant lord lt major marquess mayor \
         minister miss mr mrs ms musician painter papa philosopher physicist player poet pope premier president \
         prince princess producer prof professor quarterback queen rabbi rapper rep representative rev reverend saint \
         scientist secretary sen senator senior sergeant sgt sheikh singer sir sister songwriter sr st sultan tsar \
         vice viscount writer")
});

/// Nouns that say what sort of thing a name belongs to; the name alone is often enough.
static CLASS_NOUNS: Set = LazyLock::new(|| {
    set("act age airport album area avenue band battle bay book bridge building cathedral century church city class \
         club co college color colour company corp corporation country county date day days degree degrees desert \
         disease district episode episodes family fc film group gulf hotel inc island islands kind kingdom lake \
         language level ltd member members month months mount mountain mountains movie mt novel ocean park part party \
         peninsula people percent person province region republic river road school sea season series show single \
         song state station street syndrome system team time times tower town treaty type university valley village \
         war year years")
});

/// Small words inside names.
static PARTICLES: Set = LazyLock::new(|| {
    set("af al av ben bin da das de del della den der di do dos du e el ibn la le of st te ter the van von y zu")
});

/// Abbreviations and one usual long form.
static ABBREVIATIONS: Table = LazyLock::new(|| {
    table(
        "approx=approximately apr=april assn=association aug=august ave=avenue blvd=boulevard bros=brothers \
         capt=captain cm=centimetres co=company col=colonel corp=corporation dec=december dept=department dr=doctor \
         ep=episode eps=episodes feb=february ft=fort gen=general gov=governor govt=government hon=honourable hr=hour \
         hrs=hours hwy=highway inc=incorporated intl=international jan=january jr=junior jul=july jun=june \
         kg=kilograms km=kilometres lb=pound lbs=pounds lt=lieutenant ltd=limited mi=miles min=minutes mins=minutes \
         mm=millimetres mt=mount mts=mountains natl=national nov=november oct=october prof=professor rd=road \
         rep=representative sec=seconds secs=seconds sen=senator sep=september sept=september sgt=sergeant sr=senior \
         st=saint tv=television uk=britain univ=university usa=us vol=volume vs=versus yr=year yrs=years",
    )
});

/// Short forms of first names and the form they are short for.
static SHORT_NAMES: Table = LazyLock::new(|| {
    table(
        "abby=abigail abe=abraham aggie=agnes al=albert alex=alexander andy=andrew art=arthur barry=barrington \
         becky=rebecca ben=benjamin benny=benjamin bert=albert bess=elizabeth beth=elizabeth betsy=elizabeth \
         betty=elizabeth bill=william billy=william bob=robert bobby=robert cathy=catherine charlie=charles \
         chas=charles chris=christopher chrissy=christine chuck=charles cindy=cynthia dan=daniel danny=daniel \
         dave=david davy=david debbie=deborah dick=richard dolly=dorothy don=donald donnie=donald dottie=dorothy \
         doug=douglas drew=andrew ed=edward eddie=edward eliza=elizabeth ellie=eleanor fran=frances frank=francis \
         fred=frederick freddie=frederick freddy=frederick gabe=gabriel gabo=gabriel gene=eugene geoff=geoffrey \
         gerry=gerald ginny=virginia greg=gregory gus=augustus hal=henry hank=henry harry=henry jack=john jake=jacob \
         jamie=james jeff=jeffrey jen=jennifer jenny=jennifer jerry=gerald jim=james jimmy=james jo=josephine \
         joe=joseph joey=joseph johnny=john jon=jonathan josh=joshua judy=judith kate=katherine kathryn=katherine \
         kathy=katherine katie=katherine ken=kenneth kenny=kenneth kim=kimberly kit=christopher larry=lawrence \
         len=leonard lenny=leonard leo=leonard liam=william liz=elizabeth lizzie=elizabeth lou=louis louie=louis \
         madge=margaret maggie=margaret mandy=amanda marty=martin matt=matthew max=maximilian meg=margaret \
         mick=michael mickey=michael mike=michael mitch=mitchell molly=mary nancy=ann nate=nathaniel ned=edward \
         nell=eleanor nick=nicholas norm=norman ollie=oliver paddy=patrick pam=pamela pat=patrick patsy=patricia \
         patty=patricia peggy=margaret pete=peter phil=philip polly=mary rafa=rafael randy=randall ray=raymond \
         reg=reginald rich=richard rick=richard ricky=richard rob=robert robbie=robert rod=rodney ron=ronald \
         ronnie=ronald russ=russell sadie=sarah sally=sarah sam=samuel sammy=samuel sandy=alexander sid=sidney \
         steve=stephen steven=stephen stu=stuart sue=susan susie=susan ted=theodore teddy=theodore tim=timothy \
         tina=christina tom=thomas tommy=thomas tony=anthony tricia=patricia val=valerie vic=victor vicky=victoria \
         vince=vincent walt=walter wendy=gwendolyn wes=wesley will=william willie=william zach=zachary zack=zachary",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_stay_what_they_are() {
        assert_eq!(long_form("mt"), "mount");
        assert_eq!(long_form("paris"), "paris");
        assert_eq!(full_first_name("bob"), "robert");
        assert_eq!(ABBREVIATIONS.keys().map(|word| word.len()).max(), Some(LONGEST_ABBREVIATION));
        assert!(is_function_word("the") && !is_function_word("river"));
    }
}
