/**
 * Words that say nothing about which operation is meant: English function words, and how people and models phrase a
 * wish. Verbs that say what is done (get, list, create) are not here.
 */
const text = `
a an the this that these those such same other another each every either neither both all any some few several many much more
most less least own no none nor not only just even very too so quite rather really almost also
i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself they them their theirs
one ones someone anyone everyone something anything everything nothing who whom whose which what whatever when whenever where
wherever why how however
am is are was were be been being do does did doing done have has had having can could may might must shall should will would
cannot can't couldn't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't i'm i'd i've i'll it's that's
there's here's what's who's let's you're we're they're
and or but if then else than because while until unless although though since as whether
of at by for with about against between among into onto through during before after above below to from up down in out on off over
under again further once here there per via within without upon toward towards across along around behind beside besides beyond
despite except like near regarding concerning
please thanks thank hello hi hey kindly
want wants wanted need needs needed wish wishes wishing like likes liked would love help helps helping helped
tell tells telling told give gives giving gave given provide provides providing provided let lets know knows knowing knew
try tries trying tried ask asks asking asked show me
able possible possibly maybe perhaps probably certain certainly sure
additionally moreover furthermore finally lastly firstly secondly also well together instead otherwise therefore thus hence
currently actually basically simply exactly especially particularly specifically generally usually often always never sometimes
good great best better nice interesting interested curious excited planning plan looking look
using use uses used make makes making made take takes taking took taken go goes going went come comes coming came
thing things stuff kind kinds sort lot lots bit way ways case cases
etc eg ie vs
im ive id ill dont doesnt didnt isnt arent cant couldnt wont wouldnt shouldnt
s t d ll re ve m
`;

export const stopWords: ReadonlySet<string> = new Set(text.split(/\s+/).filter((word) => word !== ''));
