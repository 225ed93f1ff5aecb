import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('every test file is in exactly one suite', () => {
  const inSuites = globSync('*.ts', { cwd: import.meta.dirname }).flatMap((suite) => {
    const source = readFileSync(join(import.meta.dirname, suite), 'utf8')
    const patterns = [...source.matchAll(/'((?:src|test)\/.*?)'/g)]
    return globSync(
      patterns.map(([, pattern = '']) => pattern),
      { cwd: root },
    )
  })
  const all = globSync('{src,test}/**/*.test.ts', { cwd: root })
  assert.deepEqual(inSuites.toSorted(), all.toSorted())
})

test('nothing but npm run test:reference reads a folder beside the project', () => {
  const readers = globSync('{src,test,bench,scripts}/**/*.ts', { cwd: root }).filter((file) =>
    /\.\.\/shared\//.test(readFileSync(join(root, file), 'utf8')),
  )
  const others = readers.filter((file) => dirname(file) !== join('test', 'reference'))
  assert.deepEqual(others, [])
})
