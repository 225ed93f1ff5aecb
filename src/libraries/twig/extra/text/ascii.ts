import type { Budget } from '../../budget.ts'
import { require } from '../../libraries.ts'

/** Finding one letter takes about a microsecond. */
const stepsALetter = 10

/**
 * Writes a text in ASCII letters, as ICU transliterates it without marks: `Straße Ærø` is `Strasse AEro`.
 * Letters of scripts other than Latin, Cyrillic, Greek and Japanese are written as any-ascii has them.
 *
 * @param language two letters; `de`, `el`, `ru` and `uk` have rules of their own, as in Symfony's slugger.
 * @see https://github.com/symfony/string/blob/7.3/AbstractUnicodeString.php `ascii()`
 */
export function toAscii(text: string, budget: Budget, language = ''): string {
  const { default: anyAscii } = require('any-ascii') as typeof import('any-ascii')
  const table = languages.get(language) ?? latin
  let prepared = normalize(text, budget)
  for (const [pattern, replacement] of [...(languageContexts[language] ?? []), ...contexts]) {
    prepared = prepared.replace(pattern, (letters) => inCaseOf(letters, replacement))
  }
  prepared = prepared.replace(digraph, (_, kana: string, small: string) =>
    (anyAscii(kana).slice(0, -1) + anyAscii(small)).replace(/(?<=sh|ch|j)y/, ''),
  )
  return prepared.replace(/\P{ASCII}/gu, (sign, at: number, whole: string) => {
    budget.spend(stepsALetter)
    if (/\p{Emoji_Presentation}/u.test(sign)) return '?'
    const lower = sign.toLowerCase()
    const base = lower.normalize('NFD').slice(0, 1)
    const written = table.get(lower) ?? table.get(base) ?? anyAscii(lower)
    budget.allocateText(written.length)
    if (lower === sign) return /\p{Lo}/u.test(sign) ? written.toLowerCase() : written
    const isWhole = /\p{Script=Latin}/u.test(sign) && !table.has(lower)
    const isAlone = isWhole || !/\p{Ll}/u.test(whole.charAt(at + sign.length))
    return isAlone ? written.toUpperCase() : capital(written)
  })
}

/** Writes a text as other letters are written: small, with a capital, or in capitals. */
function inCaseOf(letters: string, text: string): string {
  if (letters === letters.toLowerCase()) return text
  return letters === letters.toUpperCase() ? text.toUpperCase() : capital(text)
}

/** Writes the first letter as a capital. */
export function capital(text: string): string {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length)
}

/** Marks on one letter: those of any language are fewer. */
const longRun = /\p{M}{30,}/gu
/** This many comparisons of marks make one step. */
const comparisonsAStep = 64

/**
 * Composes letters and marks. Marks on one letter are put in order by comparing each with all
 * before it, so those of a long run cost the square of their number.
 */
export function normalize(text: string, budget: Budget, form: 'NFC' | 'NFKC' = 'NFC'): string {
  for (const [marks] of text.matchAll(longRun)) budget.spend(marks.length ** 2 / comparisonsAStep)
  budget.allocateText(text.length)
  budget.spendOnCharacters(text.length * 4)
  return text.normalize(form)
}

/** Reads `жz` as: ж is written z. */
function readLetters(pairs: string): Map<string, string> {
  return new Map(pairs.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]))
}

/** Where ICU's transliteration to Latin differs from any-ascii. */
const latin = readLetters(
  'ŋn ƕhv „,, ‚, •o ←<- →-> ¥JPY ₩KRW ₪ILS ₱PHP ₴UAH ₸KZT ₽RUB ₾GEL жz хh цc чc шs щs ъ? ь? ' +
    'эe юu яa йj єe љl њn ђd ћc џd јj ўu ѕz ηe υy χch φph βb をwo づdzu ぢdji ヲwo ヅdzu ヂdji',
)

/** What languages write, after ICU's rules of the BGN. Those of the last line have any-ascii's letters. */
const languages = new Map([
  ['de', new Map([...latin, ...readLetters('äae öoe üue')])],
  ['ru', readLetters('ъ? ь? эe йi єye')],
  ['uk', readLetters('ъ? ь? гh иy йy єye')],
  ['el', readLetters('βv δdh ηi υi χkh')],
  ...['be', 'bg', 'mk', 'sr'].map((language) => [language, new Map()] as const),
])

type Replacement = readonly [pattern: RegExp, replacement: string]

/** Letters that their neighbours change: syllables of Han are words, 2½ is 2 1/2, αυ is au. */
const contexts: readonly Replacement[] = [
  [/(?<=\p{Script=Han})(?=\p{Script=Han})/gu, ' '],
  [/(?=[¼½¾⅓⅔⅕-⅞])/g, ' '],
  [/(?<=[αεο])[υύ]/gi, 'u'],
  [/γ(?=[γκξχ])/gi, 'n'],
]

/** The same for one language; its rules come first. */
const languageContexts: Record<string, readonly Replacement[]> = {
  ru: [[/(?<![бвгджзклмнпрстфхцчшщ])[её]/gi, 'є']],
  uk: [[/(?<=[зЗ])(?=г)|(?<=З)(?=Г)/g, '-']],
  el: [
    [/(?<=[αεη])[υύ]/gi, 'v'],
    [/(?<!\p{L})μπ/giu, 'b'],
    [/(?<=μ)π/gi, 'b'],
    [/(?<!\p{L})ντ/giu, 'd'],
    [/(?<=ν)τ/gi, 'd'],
    [/(?<!\p{L})γκ/giu, 'g'],
    [/γ[γκ]/gi, 'ng'],
    [/γ(?=[ειηυέίήύ])/gi, 'y'],
    [/ε[ιί]/gi, 'i'],
  ],
}

/** A syllable of Japanese that a small letter ends: きょ is kyo, しょ is sho. */
const digraph = /([きぎしじちぢにひびぴみりキギシジチヂニヒビピミリ])([ゃゅょャュョ])/g
