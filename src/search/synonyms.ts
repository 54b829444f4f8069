import { termsOf } from './words.ts';

/**
 * General words that mean nearly the same to someone who looks for a tool, one group per line: everyday words,
 * abbreviations, and what APIs call the thing. A group holds words or short phrases, separated by commas.
 */
const groups = `
pr, pull request, merge request
sms, text, text message, message
mms, picture message, message
phone, call, dial, ring
hang up, end call, call
refund, money back, reimburse, chargeback
bill, invoice
bills, invoices
buy, purchase, order, checkout
shop, store, catalog, product
goods, item, product, article
basket, cart
price, cost, fee, rate
discount, coupon, promotion, voucher
customer, client, buyer
employee, staff, worker, member
colleague, teammate, collaborator, member
person, people, user, member
account, profile, user
sign up, register, enroll, signup
sign in, log in, login, signin, session, authenticate
sign out, log out, logout
password, passcode, credential
money, balance, funds, amount
spending, spent, spend, usage, billing
pay, payment, charge
payout, withdrawal, transfer
subscription, membership, plan
bug, issue, defect, problem
ticket, issue, case, request
task, todo, item, job
comment, reply, note, remark
review, rating, feedback
repo, repository, project
code, source, content
commit, revision, change
changed, modified, commit, history
branch, ref
website, site, webpage, page
publish, deploy, release
roll back, rollback, revert, restore
bring back, undelete, restore, recover, revive, unarchive
go back, revert, rollback, restore
undo, revert, rollback, restore
take down, take offline, disable, unpublish
freeze, lock
unfreeze, unlock
duplicate, copy, clone
mirror, replicate, replication, sync
kick, remove
someone, user, member
audience, segment, cohort
garbage collection, gc
keep only, retention
overwrite, overwriting, immutable
rollout, roll out, strategy, gradual
simulate, preview, playground, dry run
snippet, script, inject
activity, audit, event, history
alive, health, status, ping
card, payment method
chat, slack, integration
trash, bin, delete, archive
folder, directory
file, document, attachment
photo, picture, image
profile picture, avatar, portrait
lately, recently, recent, latest
everywhere, all devices, sessions
video, clip, movie
movie, film
tv, television, show, series
song, track, music
band, artist, singer, musician
actor, actress, star, starred, played, cast, credit
director, directed, producer, writer, crew, credit
look like, looks like, photo, image
playlist, queue
volume, loudness
email, mail
calendar, event, meeting, appointment
schedule, cron, recurring
reminder, notification, alert
notify, alert, notification
share, collaboration, permission, access
invite, invitation, collaborator
rights, permission, role, access
country, region, nation
city, town, place
address, location, place
map, geocode, coordinate, location
nearby, around, close, near
directions, route, navigation
weather, forecast, temperature
stock, share, quote, ticker
currency, exchange, forex
company, business, organization
org, organization
team, group
translate, translation, language
summary, overview, statistics
count, total, number, statistics
log, output, event, audit
running, active, current
setting, preference, configuration
config, configuration
env, environment
var, variable
db, database
vm, virtual machine, instance
server, instance, host, machine
disk, storage, volume
memory, cpu, stats, usage
unused, dangling, prune
run, execute, exec, start
stop, halt, end, terminate
turn on, enable, activate, toggle on
turn off, disable, deactivate, toggle off
pause, suspend, hold
skip, next
key, token, secret
webhook, hook, callback
flag, feature, toggle
vulnerability, cve, scan
download, export, pull, content
upload, import, attach
contract, agreement, envelope
signature, sign, signing
news, headline, article
recipe, dish, meal
hotel, accommodation, lodging
flight, airline, plane
`;

/** A word or phrase, and what else it is called. */
interface Saying {
  readonly terms: readonly string[];
  readonly others: readonly (readonly string[])[];
}

// By the first term of each word or phrase.
const byFirst = new Map<string, Saying[]>();
for (const line of groups.split('\n').filter((text) => text !== '')) {
  const members = line.split(',').map((text) => termsOf(text, true));
  for (const terms of members) {
    const known = byFirst.get(terms[0]!) ?? [];
    known.push({ terms, others: members.filter((other) => other.join(' ') !== terms.join(' ')) });
    byFirst.set(terms[0]!, known);
  }
}

/** What question words ask for, each as the words that APIs use for it. */
const questions: readonly (readonly [pattern: RegExp, nouns: string])[] = [
  [/\bwho(?:se|m)?\b/i, 'user member person author owner people'],
  [/\bwhere\b/i, 'location address place'],
  [/\bwhen\b/i, 'date time schedule'],
  [/\bhow many\b/i, 'count total number statistics'],
  [/\bhow much\b/i, 'amount price balance cost usage'],
  [/\bhow long\b/i, 'duration time runtime'],
  [/\bwho am i\b/i, 'me current whoami session profile'],
  [/\bwho can (?:see|read|edit|open|use|access)\b/i, 'permission access collaboration member'],
  [/\bfor \w{1,10} (?:days|weeks|months|years)\b/i, 'retention expiration'],
  [/\bhow often\b/i, 'usage metrics statistics count'],
  [
    /\bwho (?:has )?(?:changed|did|made|edited|updated|deleted|removed|touched)\b/i,
    'event audit history log activity',
  ],
  [/\bis (?:the |my )?[\w-]{1,30} (?:up|down|alive|working|ok)\b/i, 'health status ping'],
  [/\bevery (?:night|day|hour|week|month|morning)\b|\bnightly\b|\bdaily\b/i, 'schedule cron'],
  [/\b(?:call|notify|tell|hit|ping) my (?:url|server|endpoint|app|service)\b/i, 'webhook hook subscription'],
];

/** Terms that mean nearly the same as those of a query, each with the places of the words it was read from. */
export interface RelatedTerm {
  readonly term: string;
  readonly from: readonly string[];
}

/** What else the words of a query may be called; `terms` are all of its terms in their order, stop words included. */
export function relatedTerms(query: string, terms: readonly string[]): RelatedTerm[] {
  const related: RelatedTerm[] = [];
  terms.forEach((first, at) => {
    for (const { terms: said, others } of byFirst.get(first) ?? []) {
      if (!said.every((term, n) => terms[at + n] === term)) continue;
      for (const other of others) for (const term of other) related.push({ term, from: said });
    }
  });
  for (const [pattern, nouns] of questions)
    if (pattern.test(query)) for (const term of termsOf(nouns)) related.push({ term, from: [] });
  return related;
}
