import { request } from '../lib/api.ts'
import { findMatches, hasWords, wordsOf } from '../lib/find-matches.ts'

/** A page of the help, and its headings. The first one is its title, without an anchor. */
interface HelpPage {
  name: string
  group: string
  headings: { anchor: string; title: string }[]
}

/** A result of a search. */
export interface Found {
  href: string
  name: string
  /** What tells it from others of its name. */
  detail?: string
}

/** Words that no text is found by. */
const emptyWords = ['how', 'what', 'why', 'the', 'and', 'can']

/** Loads the text of a page, as HTML. */
export async function loadHelpText(name: string, signal?: AbortSignal): Promise<string> {
  const options = { isRead: true, isBackground: true, ...(signal && { signal }) }
  return (await request(`/assets/docs-${name}`, options)).text()
}

const loading = new Map<string, Promise<string>>()

/** Loads a list once. */
async function loadList<Item>(name: string): Promise<Item[]> {
  const text = loading.get(name) ?? loadHelpText(name)
  loading.set(name, text)
  text.catch(() => loading.delete(name))
  return JSON.parse(await text) as Item[]
}

/** The pages in the order of the menu. */
export const loadHelpPages = () => loadList<HelpPage>('pages.json')

export const titleOf = ({ headings: [first], name }: HelpPage) => first?.title ?? name

/** Finds pages by their title, parts of pages by their heading, then by their text; else titles with small typing errors. */
export async function findHelp(text: string): Promise<Found[]> {
  const long = wordsOf(text).filter((word) => word.length > 2 && !emptyWords.includes(word))
  if (long.length === 0) return []
  const [pages, texts] = await Promise.all([loadHelpPages(), loadList<string[]>('words.json')])
  const sections = pages.flatMap((page, at) =>
    page.headings.map(({ anchor, title }, index) => {
      const name = titleOf(page)
      const found: Found =
        index === 0
          ? { href: `/help/${page.name}`, name }
          : { href: `/help/${page.name}#${anchor}`, name: title, detail: name }
      return { index, name, title, text: `${name} ${title} ${texts[at]?.[index]}`, found }
    }),
  )
  const all = new Set([
    ...sections.filter(({ index, name }) => index === 0 && hasWords(name, long)),
    ...sections.filter(({ title }) => hasWords(title, long)),
    ...sections.filter((section) => hasWords(section.text, long)),
  ])
  if (all.size > 0) return [...all].map(({ found }) => found)
  const titles = sections.filter(({ index }) => index === 0)
  return findMatches(titles, ({ name }) => name, long).map(({ found }) => found)
}
