import { runtimeFault } from '../errors/faults.ts'
import type { Place } from '../syntax/place.ts'
import type { Value } from '../values/value.ts'
import { loadTemplate } from './loading.ts'
import { type Block, Frame, type Render, type Template } from './render.ts'
import { checkSandbox } from './sandbox.ts'

const none: readonly Template[] = []

/** Prints a template: its own body, or its parent's with the blocks that it overrides. */
export function display(render: Render, frame: Frame): void {
  const { template } = frame
  if (render.isSandboxed) checkSandbox(render, template)
  // What it uses must be there, shown or not.
  if (template.uses.length > 0) linkedBlocks(render, template)
  template.body(render, frame)
  const parent = findParent(render, template, frame)
  if (parent === undefined) return
  render.budget.enter(template.place)
  const overrides = [...frame.overrides, parent]
  display(render, frame.layer({ template: parent, overrides }))
  render.budget.leave()
}

/** The template that another extends, given its variables, or undefined. */
export function findParent(render: Render, template: Template, frame: Frame): Template | undefined {
  if (template.parent === undefined) return undefined
  const { evaluate, place } = template.parent
  render.at = place
  return loadTemplate(render, evaluate(render, frame), place)
}

/** The blocks that a template can show: its own, and before them those that it uses. */
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

/** The blocks of one `use`, under the names that it gives them. */
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

/** Where a block is looked for: which templates may override it, and whose block it is at first. */
export interface BlockSearch {
  readonly name: string
  readonly template: Template
  /** Templates asked before, the most derived first. */
  readonly overrides: readonly Template[]
  readonly place: Place
}

/** The block that counts for a name, or undefined where neither overrides, template nor parents have it. */
export function findBlock(render: Render, frame: Frame, search: BlockSearch): Block | undefined {
  render.budget.spend(search.overrides.length / 8, search.place)
  for (const template of search.overrides) {
    const block = linkedBlocks(render, template).get(search.name)
    if (block !== undefined) return block
  }
  return findBlockAbove(render, frame, search)
}

/** The block of a template itself or of the nearest of its parents. */
function findBlockAbove(render: Render, frame: Frame, search: BlockSearch): Block | undefined {
  let template: Template | undefined = search.template
  for (let height = 0; template !== undefined; height++) {
    const block = linkedBlocks(render, template).get(search.name)
    if (block !== undefined) return block
    // A circle of parents must end soon: every further one costs more than the last.
    render.budget.spend(height, search.place)
    template = findParent(render, template, frame)
  }
  return undefined
}

/** Prints a block found by `findBlock`, in a frame of its own. */
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

/** Prints what a block is in the templates above: a trait's block of that name, or the parent's. */
export function displayParentBlock(
  render: Render,
  frame: Frame,
  options: { name: string; owner: Template; place: Place },
): void {
  const { name, owner, place } = options
  const block = findTraitBlock(render, owner, name) ?? findInherited(render, frame, options)
  displayBlock(render, frame, { block, overrides: frame.overrides, place })
}

function findTraitBlock(render: Render, owner: Template, name: string): Block | undefined {
  let found: Block | undefined
  for (const use of owner.uses) found = traitBlocks(render, use).get(name) ?? found
  return found
}

function findInherited(
  render: Render,
  frame: Frame,
  options: { name: string; owner: Template; place: Place },
): Block {
  const { name, owner, place } = options
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

/** The frame in which a template begins that sees none of its caller's variables. */
export function isolatedFrame(
  render: Render,
  template: Template,
  variables?: Map<string, Value>,
): Frame {
  return new Frame({ template, overrides: [template], source: render.globals, variables })
}
