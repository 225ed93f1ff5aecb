import assert from 'node:assert/strict'
import { addTemplate, uniqueName } from '../callers.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/twigTemplates'

/** The endpoints of Twig templates. */
export const templateEndpoints: Chapter = {
  '| List templates | not shown | not shown | none | object with key `twigTemplates`, an array of template objects (the items in the list carry id, name, description, template, dateAdded at least) |':
    async ({ service }) => {
      const created = await addTemplate(service, { description: 'listed' })
      const { twigTemplates } = await service.askFor('GET', path)
      assert.ok(Array.isArray(twigTemplates))
      const { id, name, description, template, dateAdded } = created
      const listed = twigTemplates.find((each) => each.id === id)
      assert.deepEqual(
        [listed.name, listed.description, listed.template, listed.dateAdded],
        [name, description, template, dateAdded],
      )
    },
  '| Get one template | not shown | /api/twigTemplates/{templateId} | path `templateId` (integer, required) | object with key `twigTemplate` holding the template object |':
    async ({ service }) => {
      const created = await addTemplate(service)
      const answer = await service.askFor('GET', `${path}/${created.id}`)
      assert.deepEqual(answer, { twigTemplate: created })
      assert.equal((await service.ask('GET', `${path}/abc`)).status, 400)
    },
  '| Create template | not shown | not shown | body: name (string, required), template (string, required), description (string, optional) | the newly created template object, shaped like the get-one response |':
    async ({ service }) => {
      const values = { name: uniqueName('t'), template: '{{ 1 + 1 }}', description: 'sum' }
      const answer = await service.askFor('POST', `${path}/new`, values)
      const { id, name, template, description } = answer.twigTemplate
      assert.deepEqual({ name, template, description }, values)
      assert.deepEqual((await service.ask('GET', `${path}/${id}`)).body, answer)
    },
  '| Edit template | not shown | not shown | path `templateId` (integer, required); body with any subset of name, template, description | the updated template object |':
    async ({ service }) => {
      const { id } = await addTemplate(service)
      for (const change of [
        { name: 'Renamed' },
        { template: '{{ 2 }}' },
        { description: 'new words' },
        { name: 'All', template: '{{ 3 }}', description: 'three' },
        {},
      ]) {
        const { body: before } = await service.ask('GET', `${path}/${id}`)
        const answer = await service.askFor('PATCH', `${path}/${id}/edit`, change)
        const { dateModified, modifiedBy } = answer.twigTemplate
        const expected = { ...before.twigTemplate, ...change, dateModified, modifiedBy }
        assert.deepEqual(answer, { twigTemplate: expected })
        assert.deepEqual((await service.ask('GET', `${path}/${id}`)).body, answer)
      }
    },
  '| Delete template | not shown | not shown | path `templateId` (integer, required) | success status code (200 or 204), possibly with a confirmation message; the template is permanently removed |':
    async ({ service }) => {
      const { id } = await addTemplate(service)
      await service.askFor('DELETE', `${path}/${id}/delete`)
      assert.equal((await service.ask('GET', `${path}/${id}`)).status, 404)
      assert.equal((await service.ask('DELETE', `${path}/${id}/delete`)).status, 404)
      const { twigTemplates } = (await service.ask('GET', path)).body
      const isListed = twigTemplates.some((each: { id: number }) => each.id === id)
      assert.equal(isListed, false)
    },
  'The exact methods and paths of the twig template operations other than get-one are marked above as not shown; the single-item path is the only one that is fixed.':
    '### Twig templates',
}
