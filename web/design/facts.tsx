import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'
import { LongText } from './long-text.tsx'

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
          <dd>
            {typeof value === 'string' ? (
              <LongText text={value || words.none} />
            ) : (
              (value ?? words.none)
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
