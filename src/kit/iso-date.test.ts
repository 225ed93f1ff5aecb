import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Notices are read as mail. */
const others = /notifications/

test('no sentence has a time as machines write it: the API gives it as a value, and the console words it', () => {
  const files = globSync('{src,web}/**/*.{ts,tsx}').filter((file) => !others.test(file))
  for (const file of files)
    if (!file.endsWith('.test.ts'))
      assert.doesNotMatch(
        readFileSync(file, 'utf8'),
        /[\w)] \$\{(formatDate|minuteOf|new Date)\(/,
        file,
      )
})
