// Finds the page on a message. A whole message has the name of its page at its end. In its first line some words are names of the
// user's: where no page has all words, those come that have all but one, else all but two, of the words that stand on some page.
if (typeof Search !== "undefined") {
  const withTerms = Search.query;
  Search.query = (text) => {
    const name = /autograph error ([\w-]+)/.exec(text)?.[1];
    if (Search._index.docnames.includes(`docs/errors/${name}`)) window.location.replace(`docs/errors/${name}.html`);
    else withTerms(text);
  };

  const withAll = Search.performTermsSearch;
  Search.performTermsSearch = (terms, excluded) => {
    const find = (words) => (words.length ? withAll(new Set(words), excluded) : []);
    let sets = [[...terms].filter((word) => find([word]).length)];
    for (let left = 0; left < 3; left++) {
      const pages = new Map(sets.flatMap(find).map((page) => [page[0], page]));
      if (pages.size) return [...pages.values()];
      sets = sets.flatMap((words) => words.map((word) => words.filter((other) => other !== word)));
    }
    return [];
  };
}
