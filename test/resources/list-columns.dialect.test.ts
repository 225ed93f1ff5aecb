import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, uniqueName } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

const word = uniqueName('columns').replaceAll('-', '')

/** A record of each list, which is made for `a` and 1 and for `b` and 2; and columns, with their values in the second one. */
const lists = {
  contacts: [
    '{"email":"ab@WORD.test","lastname":"WORD ab","city":"ab","preferred_locale":"ab","tags":["ab","x"],"points":12}',
    'city=B l.city=b lastname=WORD_B last_name=WORD_b preferredLocale=b points=2 EMAIL=b@WORD.test tags=b',
  ],
  emails: [
    '{"name":"WORD ab","subject":"s","customHtml":"ab","fromName":"ab","headers":{"X":"ab"}}',
    'e.name=WORD_b custom_html=b fromname=B headers={"X":"b"}',
  ],
  users: [
    '{"username":"WORDab","lastName":"ab","email":"ab@WORD.test","role":1,"plainPassword":{"password":"long enough 1","confirm":"long enough 1"}}',
    'last_name=b lastname=b username=WORDB email=B@WORD.test',
  ],
} as const

onEachDatabase('every field of an answer, and every column of Mautic', (shared) => {
  test('finds the records with and without a brand', async () => {
    const brand = await addBrand(shared.service)
    const name = uniqueName('branded')
    for (const values of [{ name, brand }, { name }]) await addEmail(shared.service, values)
    for (const [expr, found] of Object.entries({ isNull: undefined, isNotNull: brand })) {
      const query = `search=${name}&where[0][col]=brand&where[0][expr]=${expr}`
      const { emails } = await shared.askFor('GET', `/api/emails?${query}`)
      assert.deepEqual(
        Object.values<TestBody>(emails).map((email) => email.brand),
        [found],
      )
    }
  })

  for (const [many, [record, columns]] of Object.entries(lists))
    test(`orders and filters ${many}; an unknown one is refused with those that there are`, async () => {
      const ask = (query: string) => shared.ask('GET', `/api/${many}?${query}`)
      const ids: number[] = []
      for (const [letter, number] of [
        ['a', '1'],
        ['b', '2'],
      ] as const) {
        const values = record.replaceAll('WORD', word).replaceAll(/\bab\b|(?<=WORD)ab/g, letter)
        const json = values.replace(`${word}ab`, word + letter).replace(':12}', `:${number}}`)
        const { body, text } = await shared.ask('POST', `/api/${many}/new`, JSON.parse(json))
        ids.push((body[many.slice(0, -1)] ?? assert.fail(text)).id)
      }
      const listed = async (query: string) => {
        const { body, text } = await ask(`search=${word}&${query}`)
        return Object.keys(body[many] ?? assert.fail(`${query} ${text}`)).length
      }
      const first = async (query: string) => {
        const { body } = await ask(`search=${word}&limit=1&${query}`)
        return Object.values(body[many])[0] as { id: number; fields?: { all: object } }
      }
      for (const pair of columns.replaceAll('WORD', word).split(' ')) {
        const [column, value = ''] = pair.replace('_B', ' B').replace('_b', ' b').split('=')
        const name = pair.split('=')[0]
        const where = `where[0][col]=${name}&where[0][expr]=eq&where[0][val]=${encodeURIComponent(value)}`
        assert.equal(await listed(where), 1, `${column} ${where}`)
        assert.equal((await first(where)).id, ids[1], pair)
        assert.equal((await first(`orderBy=${name}&orderByDir=desc`)).id, ids[1], pair)
        assert.equal((await first(`orderBy=${name}`)).id, ids[0], pair)
      }
      const { fields, ...members } = await first('')
      const others = ['date_added', 'is_published', 'createdby']
      for (const field of [...Object.keys({ ...members, ...fields?.all }), ...others]) {
        assert.equal(await listed(`orderBy=${field}`), 2, field)
        for (const expr of ['isNotEmpty', 'isNull'])
          await listed(`where[0][col]=${field}&where[0][expr]=${expr}`)
      }
      for (const query of ['orderBy=nope', 'where[0][col]=nope&where[0][expr]=isNull'])
        assert.match(
          (await ask(query)).body.error,
          /one of id, (?:brand, )?isPublished, .*createdByUser/,
        )
    })
})
