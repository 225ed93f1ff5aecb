import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'

/** Names and values: what a record says where it cannot be changed. Values that are empty show a dash. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [ComponentChildren, ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value], index) => (
        <div key={index} class="fact">
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? words.none : value}</dd>
        </div>
      ))}
    </dl>
  )
}
