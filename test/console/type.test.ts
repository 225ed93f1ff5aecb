import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const web = join(import.meta.dirname, '../../web')
/** Sizes and weights are tokens of `base.css`; a value in em would make a seventh size. */
const tokens =
  /^(inherit|var\(--(tiny|small|normal|medium|large|huge|regular|semibold|bold|mono)\))$/

test('the console has six sizes and three weights of type, and no other', () => {
  const written = globSync(['**/*.css', 'records/code/theme.ts'], {
    cwd: web,
    exclude: ['dist', 'generated'],
  })
    .map((file) => [file, readFileSync(join(web, file), 'utf8')] as const)
    .flatMap(([file, text]) =>
      [...text.matchAll(/\bfont(?:-?size|-?weight)?: ['"]?([^;'"}\n]+)/gi)].flatMap(
        ([, value = '']) => value.split(' ').map((part) => ({ file, part })),
      ),
    )
  assert.ok(written.length > 40)
  assert.deepEqual(
    written.filter(({ part }) => !tokens.test(part)),
    [],
  )
})
