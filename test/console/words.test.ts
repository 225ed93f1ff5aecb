import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const root = join(import.meta.dirname, '../../web')
/** The page of the design system, which the built console does not contain. */
const samples = 'screens/design'
/** Attributes and properties whose values people read. */
const readByPeople =
  /^(?:label|title|help|text|action|caption|placeholder|alt|aria-label|aria-description)$/

test('every word that the console shows is in its catalogue', () => {
  const files = globSync('**/*.tsx', { cwd: root, exclude: [samples] })
  assert.deepEqual(files.flatMap(findWords), [])
})

/** Words that stand in the code of a screen. */
function findWords(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isShown(node) && /\p{L}{2}/u.test(node.text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push(`web/${path}:${line + 1}: ${node.text.trim()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isShown(node: ts.Node): node is ts.JsxText | ts.StringLiteral {
  if (ts.isJsxText(node)) return true
  if (!ts.isStringLiteral(node)) return false
  const { parent } = node
  if (ts.isJsxExpression(parent)) return !ts.isJsxAttribute(parent.parent)
  return (
    (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) &&
    readByPeople.test(parent.name.getText())
  )
}
