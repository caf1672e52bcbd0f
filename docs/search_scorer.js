// How the search of the site ranks what it finds: a page whose title has more of the words that were
// asked for comes first, and of equal ones a guide page, before evidence and the reference.
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    const asked = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase();
    const stems = asked.split(/\s+/).filter(Boolean).map((word) => word.replace(/s$/, ""));
    const named = stems.filter((stem) => title.toLowerCase().includes(stem)).length;
    const aside = /^(evidence|benchmarks|goals|testing|changelog)|\//.test(docname);
    return score + 5 * named - (aside ? 3 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
