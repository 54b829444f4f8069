// The search of the docs: sections are fetched when the field is first used, and searched in the page.
const field = document.getElementById('search');
const list = document.getElementById('results');
const found = document.getElementById('found');
const root = document.documentElement.dataset.root;
const maxShown = 12;
let sections;

const menu = document.querySelector('details.menu');
if (matchMedia('(max-width: 900px)').matches) menu.open = false;

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  }
});
field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void load().then(show));
field.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') clear();
  if (event.key === 'ArrowDown') move(event, list.querySelector('a'));
  if (event.key === 'Enter') list.querySelector('a')?.click();
});
list.addEventListener('keydown', (event) => {
  const item = document.activeElement?.closest('li');
  if (event.key === 'ArrowDown') move(event, item?.nextElementSibling?.firstElementChild);
  if (event.key === 'ArrowUp') move(event, item?.previousElementSibling?.firstElementChild ?? field);
  if (event.key === 'Escape') {
    clear();
    field.focus();
  }
});
// A link from elsewhere can ask.
const given = new URLSearchParams(location.search).get('q');
if (given) {
  field.value = given;
  field.focus();
  void load().then(show);
}
// A result on the same page only moves within it.
list.addEventListener('click', () => setTimeout(clear));

function load() {
  sections ??= fetch(`${root}search.json`)
    .then((answer) => answer.json())
    .then((all) => all.map((one) => ({ ...one, words: wordsOf(`${one.page} ${one.title} ${one.text}`) })));
  return sections;
}

function move(event, target) {
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function clear() {
  field.value = '';
  list.hidden = true;
  list.replaceChildren();
  found.textContent = '';
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

function show(all) {
  const asked = wordsOf(field.value);
  if (asked.length === 0) return clear();
  const hits = all
    .map((section) => ({ section, score: scoreOf(section, asked) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxShown);
  list.replaceChildren(...hits.map(({ section }) => itemOf(section, asked)));
  list.hidden = hits.length === 0;
  found.textContent = hits.length === 0 ? 'No results' : `${hits.length} results`;
  found.classList.toggle('hidden', hits.length > 0);
}

/** 0 unless every word begins a word of the section; more where it is in a title, whole, or often. */
function scoreOf({ page, title, words }, asked) {
  const ofTitle = wordsOf(title);
  const ofPage = wordsOf(page);
  let score = 0;
  for (const word of asked) {
    const matching = words.filter((one) => one.startsWith(word));
    if (matching.length === 0) return 0;
    const whole = matching.filter((one) => one === word).length;
    score += Math.min(5, matching.length) / Math.sqrt(words.length) + (whole > 0 ? 0.5 : 0);
    if (ofTitle.some((one) => one.startsWith(word))) score += 3;
    if (ofPage.some((one) => one.startsWith(word))) score += 1;
  }
  return score;
}

function itemOf({ url, page, title, text }, asked) {
  const link = document.createElement('a');
  link.href = root + url;
  const heading = document.createElement('strong');
  heading.textContent = title === page ? page : `${page} › ${title}`;
  const at = Math.max(0, text.toLowerCase().indexOf(asked[0]) - 50);
  const extract = document.createElement('span');
  extract.textContent = `${at > 0 ? '… ' : ''}${text.slice(at, at + 140)}`;
  link.append(heading, extract);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
