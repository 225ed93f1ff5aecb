import { suggest } from '../kit/suggest.ts'

/** More than these would not be read. */
const namesMax = 10
const nameLengthMax = 100
const itemsShown = 3

/** A name that was ignored. */
interface IgnoredName {
  name: string
  /** Of the object that has it: empty, or `plainPassword.`. */
  path: string
  /** Of a batch, which item. */
  item?: string
  /** The names that it may have meant. */
  known: object
}

interface Noted extends Pick<IgnoredName, 'name' | 'known'> {
  items: string[]
  itemCount: number
}

/** Names of a request that were ignored, for the warnings of its answer: as many as a person reads, and a count. */
export class IgnoredNames {
  readonly #kind: 'field' | 'parameter'
  readonly #noted = new Map<string, Noted>()
  #others = 0

  constructor(kind: 'field' | 'parameter') {
    this.#kind = kind
  }

  add({ name, path, item, known }: IgnoredName): void {
    const shown = shorten(`${path}${name}`)
    const noted = this.#noted.get(shown) ?? this.#note(shown, { name, known })
    if (noted === undefined) this.#others += 1
    else if (item !== undefined) {
      noted.itemCount += 1
      if (noted.items.length < itemsShown) noted.items.push(item)
    }
  }

  /** A sentence for each name: `Unknown field "html" was ignored. Did you mean "customHtml"?` */
  warnings(): string[] {
    const warnings = [...this.#noted].map(([shown, noted]) => this.#describe(shown, noted))
    if (this.#others > 0) warnings.push(`${this.#others} more unknown ${this.#kind}s were ignored.`)
    return warnings
  }

  #note(shown: string, about: Pick<Noted, 'name' | 'known'>): Noted | undefined {
    if (this.#noted.size >= namesMax) return undefined
    const noted: Noted = { ...about, items: [], itemCount: 0 }
    this.#noted.set(shown, noted)
    return noted
  }

  #describe(shown: string, { name, known, items, itemCount }: Noted): string {
    const where = items.length === 0 ? '' : ` of ${describeItems(items, itemCount)}`
    const meant = suggest(name, Object.keys(known))
    const sentence = `Unknown ${this.#kind} ${JSON.stringify(shown)}${where} was ignored.`
    return meant === undefined ? sentence : `${sentence} ${meant}`
  }
}

/** `item 3`, `items 0, 1`, `items 0, 1, 2 and 97 more`. */
function describeItems(items: readonly string[], count: number): string {
  const more = count > items.length ? ` and ${count - items.length} more` : ''
  return `item${count === 1 ? '' : 's'} ${items.join(', ')}${more}`
}

function shorten(name: string): string {
  return name.length <= nameLengthMax ? name : `${name.slice(0, nameLengthMax)}…`
}
