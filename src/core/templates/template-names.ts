import { noBrand } from '../../kit/caller.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import type { TemplateRow } from './table.ts'

/** A template as a name finds it; one that is not saved yet has no id. */
export type NamedTemplate = Pick<TemplateRow, 'name' | 'is_published' | 'brand_id'> & {
  id: number | undefined
}

/** Returns the name that means the template with this id, whatever names there are. */
export function idName(id: number): string {
  return `id:${id}`
}

/** Returns the id that a name means by its form, or undefined. */
export function readIdName(key: string): number | undefined {
  const digits = /^id:([1-9]\d{0,14})$/.exec(key)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Returns the keys (see `nameKey`) that find a template: its id, and its name unless that has the form of an id. */
export function keysOf({ id, name }: Pick<NamedTemplate, 'id' | 'name'>): string[] {
  const key = nameKey(name)
  const names = readIdName(key) === undefined ? [key] : []
  return id === undefined ? names : [...names, idName(id)]
}

/**
 * Returns which of the templates of one name this name means: the oldest published one of the brand, else the oldest
 * published one of those that belong to none. So a second template of a name changes nothing that was there before.
 */
export function findMeant<T extends Omit<NamedTemplate, 'name'>>(
  namesakes: readonly T[],
  brand: number,
): T | undefined {
  const published = namesakes.filter(({ is_published: isPublished }) => isPublished)
  const ofBrand = published.filter(({ brand_id: owner }) => owner === brand)
  const ofAll = published.filter(({ brand_id: owner }) => owner === noBrand)
  const [meant] = (ofBrand.length > 0 ? ofBrand : ofAll).sort(byAge)
  return meant
}

/** A template that is not saved yet is younger than all others. */
function byAge({ id: one }: Pick<NamedTemplate, 'id'>, { id: other }: Pick<NamedTemplate, 'id'>) {
  return (one ?? Number.MAX_VALUE) - (other ?? Number.MAX_VALUE)
}

const idsShown = 10

/** Says that several templates have a name; undefined where there is one. `use` is where the name stands: `include`. */
export function remarkOnUse(
  { name, use }: { name: string; use: string },
  namesakes: readonly NamedTemplate[],
  meant: NamedTemplate,
): string | undefined {
  const published = namesakes.filter(({ is_published: isPublished }) => isPublished)
  if (published.length < 2) return undefined
  return `${countOf(name, published)} This ${use} takes ${describe(meant)}.${adviceFor(published, meant)}`
}

/** Says that other templates have the name of this one, and which of them the name means; undefined where there is no other. */
export function remarkOnName(
  template: NamedTemplate,
  namesakes: readonly NamedTemplate[],
  meant: NamedTemplate | undefined,
): string | undefined {
  const namedId = readIdName(nameKey(template.name))
  if (namedId !== undefined) return remarkOnIdName(template, namedId)
  if (namesakes.length < 2) return undefined
  const count = countOf(template.name, namesakes)
  if (meant === undefined) return `${count} None of them is published.`
  if (meant.id === template.id)
    return `${count} The name means this one, the oldest published one.${adviceFor(namesakes, meant)}`
  return `${count} The name means ${describe(meant)}. ${adviceToOwn(template)}`
}

/** Says that a name in the form of an id means the template with that id, if that is another one. */
function remarkOnIdName(template: NamedTemplate, namedId: number): string | undefined {
  if (template.id === namedId) return undefined
  return `The name "${template.name.trim()}" always means the template with the id ${namedId}. ${adviceToOwn(template)}`
}

function adviceToOwn({ id }: NamedTemplate): string {
  const reference = id === undefined ? 'its id' : `"${idName(id)}"`
  return `Include this one by ${reference}, or rename it.`
}

function countOf(name: string, namesakes: readonly NamedTemplate[]): string {
  const count = namesakes.length === 2 ? 'Two' : String(namesakes.length)
  return `${count} templates are named "${name.trim().slice(0, 255)}" (ids ${listIds(namesakes)}).`
}

/** Each list once: thousands of templates may have one name, and the remark on each has the same ids. */
const listedIds = new WeakMap<readonly NamedTemplate[], string>()

function listIds(namesakes: readonly NamedTemplate[]): string {
  const listed = listedIds.get(namesakes)
  if (listed !== undefined) return listed
  const ids = namesakes.flatMap(({ id }) => id ?? []).sort((one, other) => one - other)
  const more = ids.length > idsShown ? ', …' : ''
  const list = ids.slice(0, idsShown).join(', ') + more
  listedIds.set(namesakes, list)
  return list
}

function describe({ id, brand_id: owner }: NamedTemplate): string {
  const which =
    owner === noBrand ? 'the oldest published one' : 'the oldest published one of its brand'
  return `template ${id}, ${which}`
}

function adviceFor(namesakes: readonly NamedTemplate[], meant: NamedTemplate): string {
  const other = namesakes.find(({ id }) => id !== undefined && id !== meant.id)
  return other?.id === undefined ? '' : ` Include another one by its id: "${idName(other.id)}".`
}
