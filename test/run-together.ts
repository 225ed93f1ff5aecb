import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { killLeftMailyards } from './mailyard-process.ts'
// Before the files are read, so that what it closes at the end is open for all of them.
import './on-each-database.ts'
import { noteStatements } from './statements.ts'

const root = join(import.meta.dirname, '..')

/**
 * Runs test files in this process, each as a suite of its own, one after the other. A process for each
 * would load the application again, which takes longer than most of the files.
 *
 * @param patterns globs from the root of the project
 */
export function runTogether(...patterns: readonly string[]): void {
  const folder = process.env['TEST_FOLDER']
  if (folder !== undefined) noteStatements(folder)
  const files = globSync(patterns, { cwd: root }).toSorted()
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(', ')}.`)
  for (const file of files)
    describe(file, async () => {
      await import(join(root, file))
      // After those of the file, which stop what it has started.
      after(killLeftMailyards)
    })
}
