import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'

const root = join(import.meta.dirname, '..')

/**
 * Runs test files in this process, each as a suite of its own, one after the other. A process for each
 * would load the application again, which takes longer than most of the files.
 *
 * @param patterns globs from the root of the project
 */
export function runTogether(...patterns: readonly string[]): void {
  const files = globSync(patterns, { cwd: root }).toSorted()
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(', ')}.`)
  for (const file of files) describe(file, () => import(join(root, file)))
}
