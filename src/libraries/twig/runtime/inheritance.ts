import type { Budget } from '../budget.ts'
import { type Place, runtimeFault, TwigError } from '../errors.ts'
import { entriesOf, sizeOf } from '../values/collections.ts'
import type { Collection, Value } from '../values/value.ts'
import { loadTemplate } from './loading.ts'
import { type Block, Frame, type Render, type Template } from './render.ts'

const none: readonly Template[] = []

/** Renders a template: its own body, then its parent with the overridden blocks. */
export function display(render: Render, frame: Frame): void {
  const { template } = frame
  if (render.isSandboxed) checkSandbox(render, template)
  // Used templates must exist, even when none of their blocks is rendered.
  if (template.uses.length > 0) linkedBlocks(render, template)
  template.body(render, frame)
  const parent = findParent(render, template, frame)
  if (parent === undefined) return
  render.budget.enter(template.place)
  const overrides = [...frame.overrides, parent]
  display(render, frame.layer({ template: parent, overrides }))
  render.budget.leave()
}

/** Renders a template in the place of a tag or call of another one. */
export function displayIncluded(render: Render, frame: Frame, place: Place): void {
  render.budget.enter(place)
  display(render, frame)
  render.budget.leave()
  render.at = place
}

/** Returns the template that another one extends with the current variables, or undefined. */
function findParent(render: Render, template: Template, frame: Frame): Template | undefined {
  if (template.parent === undefined) return undefined
  const { evaluate, place } = template.parent
  render.at = place
  return loadTemplate(render, evaluate(render, frame), place)
}

/** Lists a template and its parents, nearest first. */
export function* lineage(
  render: Render,
  frame: Frame,
  start: { readonly template: Template; readonly place?: Place },
): Generator<Template> {
  let template: Template | undefined = start.template
  for (let height = 0; template !== undefined; height++) {
    yield template
    // Each further parent costs more, so that a cycle of parents ends soon.
    render.budget.spend(height, start.place)
    template = findParent(render, template, frame)
  }
}

/** Returns the blocks of a template: those that it uses, then its own. */
function linkedBlocks(render: Render, template: Template): Map<string, Block> {
  return render.blocksOf(template, () => linkUses(render, template))
}

function linkUses(render: Render, template: Template): Map<string, Block> {
  const linked = new Map<string, Block>()
  for (const use of template.uses) {
    for (const [name, block] of traitBlocks(render, use)) linked.set(name, block)
  }
  for (const [name, block] of template.blocks) linked.set(name, block)
  return linked
}

/** Returns the blocks of one `use`, with their aliases. */
function traitBlocks(render: Render, use: Template['uses'][number]): Map<string, Block> {
  const trait = loadTemplate(render, use.templateName, use.place)
  if (!trait.isTraitable) {
    throw runtimeFault(`Template "${use.templateName}" cannot be used as a trait.`, use.place)
  }
  render.budget.enter(use.place)
  const linked = linkedBlocks(render, trait)
  render.budget.allocateElements(linked.size)
  const blocks = new Map(linked)
  render.budget.leave()
  for (const [name, alias] of use.aliases) {
    const block = blocks.get(name)
    if (block === undefined) {
      throw runtimeFault(
        `Block "${name}" is not defined in trait "${use.templateName}".`,
        use.place,
      )
    }
    blocks.delete(name)
    blocks.set(alias, block)
  }
  return blocks
}

/** A search for a block: the template that refers to it, and the templates that may override it. */
export interface BlockSearch {
  readonly name: string
  readonly template: Template
  /** The templates to search first, most derived first. */
  readonly overrides: readonly Template[]
  readonly place: Place
}

/**
 * Finds the block for a name: in the overriding templates, then in the template, then in its
 * parents.
 */
export function findBlock(render: Render, frame: Frame, search: BlockSearch): Block | undefined {
  render.budget.spend(search.overrides.length / 8, search.place)
  for (const template of search.overrides) {
    const block = linkedBlocks(render, template).get(search.name)
    if (block !== undefined) return block
  }
  return findBlockAbove(render, frame, search)
}

/** Finds the block in a template or in the nearest of its parents. */
function findBlockAbove(render: Render, frame: Frame, search: BlockSearch): Block | undefined {
  for (const template of lineage(render, frame, search)) {
    const block = linkedBlocks(render, template).get(search.name)
    if (block !== undefined) return block
  }
  return undefined
}

/** Renders a block in a frame of its own. */
export function displayBlock(
  render: Render,
  frame: Frame,
  options: { block: Block; overrides: readonly Template[]; place: Place },
): void {
  const { block, overrides, place } = options
  render.budget.enter(place)
  if (render.isSandboxed) checkSandbox(render, block.template)
  block.execute(render, frame.layer({ template: block.template, overrides }))
  render.at = place
  render.budget.leave()
}

/** Renders the parent's version of a block: from a used template, or from the parent template. */
export function displayParentBlock(
  render: Render,
  frame: Frame,
  { name, place }: { name: string; place: Place },
): void {
  let block: Block | undefined
  for (const use of frame.template.uses) block = traitBlocks(render, use).get(name) ?? block
  block ??= inheritedBlock(render, frame, { name, place })
  displayBlock(render, frame, { block, overrides: frame.overrides, place })
}

function inheritedBlock(
  render: Render,
  frame: Frame,
  { name, place }: { name: string; place: Place },
): Block {
  const owner = frame.template
  const parent = findParent(render, owner, frame)
  if (parent === undefined) {
    throw runtimeFault(
      `The template has no parent and no traits defining the "${name}" block.`,
      place,
    )
  }
  const block = findBlockAbove(render, frame, { name, template: parent, overrides: none, place })
  if (block !== undefined) return block
  throw runtimeFault(
    `Block "${name}" should not call parent() in "${owner.name}" as the block does not exist in the parent template "${parent.name}".`,
    place,
  )
}

/** Creates a frame that sees none of the caller's variables. */
export function isolatedFrame(
  render: Render,
  template: Template,
  variables?: Map<string, Value>,
): Frame {
  return new Frame({ template, overrides: [template], source: render.globals, variables })
}

/** Converts a collection to variables by name. */
export function variablesOf(collection: Collection, budget: Budget): Map<string, Value> {
  budget.allocateElements(sizeOf(collection))
  const variables = new Map<string, Value>()
  for (const [name, value] of entriesOf(collection)) variables.set(String(name), value)
  return variables
}

/**
 * Checks the tags, filters and functions of a sandboxed template.
 *
 * @throws TwigError of kind `security` for the first one that is not allowed.
 */
export function checkSandbox(render: Render, template: Template): void {
  for (const kind of ['tag', 'filter', 'function'] as const) {
    const allowed = render.settings.sandbox[kind]
    for (const [name, place] of template.usedNames[kind]) {
      if (allowed.has(name)) continue
      const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
      throw new TwigError('security', `${title} "${name}" is not allowed.`, place)
    }
  }
}
