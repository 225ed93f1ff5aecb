import type { Column } from '../../design/table.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { partsOf } from '../../lib/batch.ts'
import { changedColumn, nameColumn, publishedColumn, timeColumn } from '../../records/columns.tsx'
import { changeRecords } from '../../records/delete-records.tsx'
import { publishedFilter, ResourceListScreen } from '../../records/resource-list.tsx'
import { words } from '../../words/common.ts'
import { templateWords as text } from '../../words/templates.ts'

type Template = Body<'GET', '/api/twigTemplates'>['twigTemplates'][number]

/** The code of a template may be long, and the list does not show it. */
const fields = 'id,name,description,brand,isPublished,dateAdded,dateModified'

const columns: readonly Column<Template>[] = [
  nameColumn('/templates', text.labels.name, ({ description }) => description),
  {
    label: text.usage.usedBy,
    priority: 2,
    show: ({ usage }) =>
      usage && (text.usage.count(usage) || <span class="quiet">{text.usage.none}</span>),
  },
  timeColumn(words.lastSent, ({ usage }) => usage?.lastSent, { priority: 3, none: words.never }),
  changedColumn,
  publishedColumn,
]

/** All Twig templates, and the deleted ones. */
export default function TemplatesScreen() {
  return (
    <ResourceListScreen<Template>
      path="/templates"
      kind="templates"
      add={{ label: text.add, needs: 'twigtemplates:create' }}
      list={{
        texts: text,
        columns,
        filters: [publishedFilter],
        async load({ state, ...asked }, signal) {
          const search = [asked.search, state && `is:${state}`].filter(Boolean).join(' ')
          const query = { ...asked, search, fields, with: 'usage' }
          const { body } = await ask('GET', '/api/twigTemplates', { query, signal })
          return { rows: body.twigTemplates, total: body.total }
        },
        actions: changeRecords('templates', {
          texts: text,
          text: text.deleteText,
          findImpact: findSameNames,
        }),
      }}
    />
  )
}

/** Names the selected ones whose name another template has: the name may mean another one then. The API warns of them. */
async function findSameNames(ids: readonly number[]) {
  const named: string[] = []
  for (const part of partsOf(ids)) {
    const query = {
      search: `ids:${part.join(',')}`,
      fields: 'id,name,warnings',
      limit: part.length,
    }
    const { body } = await ask('GET', '/api/twigTemplates', { query })
    for (const { id, name, warnings = [] } of body.twigTemplates)
      if (warnings.length > 0) named.push(`${name} (${id})`)
  }
  return named.length === 0 ? undefined : text.changeNames(named)
}
