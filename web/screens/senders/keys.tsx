import { ButtonLink } from '../../design/button.tsx'
import { HelpLink } from '../../design/feedback.tsx'
import { Page } from '../../design/page.tsx'
import type { Column } from '../../design/table.tsx'
import { can } from '../../lib/session.ts'
import { brandName } from '../../records/brands.tsx'
import { NameCell, timeColumn } from '../../records/columns.tsx'
import { ResourceList } from '../../records/resource-list.tsx'
import { listOf } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { keyWords as text } from '../../words/dkim-keys.ts'
import { type DkimKey, KeyState } from './key-state.tsx'
import { SenderViews } from './views.tsx'

const columns: readonly Column<DkimKey>[] = [
  {
    label: text.labels.domain,
    field: 'domain',
    kind: 'name',
    show: ({ id, domain, brand }) => (
      <NameCell href={`/senders/keys/${id}`} name={domain} brand={brand} />
    ),
  },
  { label: words.state, kind: 'state', show: (key) => <KeyState dkimKey={key} /> },
  {
    label: text.labels.brand,
    priority: 2,
    show: ({ brand }) => (brand === undefined ? text.noBrand : brandName(brand)),
  },
  { label: text.labels.selector, field: 'selector', priority: 3, show: ({ selector }) => selector },
  {
    label: text.labels.algorithm,
    field: 'algorithm',
    priority: 4,
    show: ({ algorithm }) => text.algorithmNames[algorithm],
  },
  timeColumn(text.facts.checked, ({ dateChecked }) => dateChecked, {
    priority: 2,
    none: text.notYet,
  }),
]

export default function DkimKeysScreen() {
  const add = can('multipleTransports:create') && (
    <ButtonLink href="/senders/keys/new" kind="primary">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <SenderViews shown="keys" />
      <p class="quiet">
        {text.intro} <HelpLink page="be-believed" />
      </p>
      <ResourceList
        texts={text}
        columns={columns}
        order={{ field: 'domain', isDescending: false }}
        refreshMs={30_000}
        add={add}
        load={listOf('dkimKey')}
      />
    </Page>
  )
}
