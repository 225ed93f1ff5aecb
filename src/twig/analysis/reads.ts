import type { Place } from '../syntax/place.ts'
import type { VariableRead } from './report.ts'

/** Gathers what is read, one entry for each path. */
export interface Reads {
  add(path: string, read: { hasDefault: boolean; isInLoop: boolean; place: Place }): void
  /** In the order of their paths, without those that only lead to others. */
  list(): VariableRead[]
}

export function createReads(): Reads {
  const reads = new Map<string, VariableRead>()
  return {
    add(path, { hasDefault, isInLoop, place }) {
      const before = reads.get(path)
      reads.set(path, {
        path,
        hasDefault: hasDefault && (before?.hasDefault ?? true),
        isInLoop: isInLoop || (before?.isInLoop ?? false),
        line: before?.line ?? place.line,
        column: before?.column ?? place.column,
      })
    },
    list: () => [...reads.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}
