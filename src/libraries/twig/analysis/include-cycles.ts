import type { TemplateReference } from './report.ts'

/** Returns the references of a template, by name. */
export type ReferencesOf = (name: string) => readonly TemplateReference[] | undefined

/** A reference that leads back to its own template, and the templates in between. */
export interface IncludeCycle {
  readonly reference: TemplateReference
  readonly path: readonly string[]
}

/**
 * Finds the references that lead back to their own template in every render. Such a template can
 * never finish rendering. Each template is examined once, however often it is referred to.
 */
export function findIncludeCycles(name: string, referencesOf: ReferencesOf): IncludeCycle[] {
  const nextSteps = stepsBack(name, callersOf(name, referencesOf))
  return (referencesOf(name) ?? []).flatMap((reference) => {
    const target = inevitable(reference)
    if (target === undefined || !nextSteps.has(target)) return []
    return [{ reference, path: pathFrom(target, nextSteps) }]
  })
}

/** Maps each reachable template to the templates that refer to it. */
function callersOf(name: string, referencesOf: ReferencesOf): Map<string, Set<string>> {
  const callers = new Map<string, Set<string>>([[name, new Set()]])
  const waiting = [name]
  for (let caller = waiting.pop(); caller !== undefined; caller = waiting.pop()) {
    for (const reference of referencesOf(caller) ?? []) {
      const target = inevitable(reference)
      if (target === undefined) continue
      const known = callers.get(target)
      if (known !== undefined) known.add(caller)
      else {
        callers.set(target, new Set([caller]))
        waiting.push(target)
      }
    }
  }
  return callers
}

/** Maps each template to the next step on its shortest path back to `name`. */
function stepsBack(
  name: string,
  callers: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, string | undefined> {
  const nextSteps = new Map<string, string | undefined>([[name, undefined]])
  const waiting = [name]
  for (let index = 0; index < waiting.length; index++) {
    const step = waiting[index]
    if (step === undefined) continue
    for (const caller of callers.get(step) ?? []) {
      if (nextSteps.has(caller)) continue
      nextSteps.set(caller, step)
      waiting.push(caller)
    }
  }
  return nextSteps
}

const loading = new Set(['include', 'extends', 'embed', 'use'])

/** Returns the template that a reference loads in every render, if there is one. */
function inevitable({ type, names, isConditional }: TemplateReference): string | undefined {
  if (isConditional || names.length !== 1 || !loading.has(type)) return undefined
  return names[0]
}

function pathFrom(start: string, nextSteps: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = []
  for (let step: string | undefined = start; step !== undefined; step = nextSteps.get(step)) {
    path.push(step)
  }
  return path
}
