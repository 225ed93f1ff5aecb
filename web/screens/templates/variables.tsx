import { Button } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { templateWords } from '../../words/templates.ts'
import type { Variable } from './use-lint.ts'

interface VariablesProps {
  variables: readonly Variable[]
  /** Undefined for readers. */
  onInsert: ((path: string) => void) | undefined
  onShow: (place: { line: number; column: number }) => void
}

const text = templateWords.variables

/** What a template reads: each variable, where it is read first, and whether it has to exist. */
export function Variables({ variables, onInsert, onShow }: VariablesProps) {
  if (variables.length === 0) return <Empty>{text.empty}</Empty>
  return (
    <div class="stack">
      <p class="quiet small">{text.about}</p>
      <ul class="lines">
        {variables.map((variable) => {
          const { path, hasDefault, isInLoop, line } = variable
          return (
            <li key={`${path} ${line}`} class="spread">
              <span class="row">
                <code>{path}</code>
                <Badge tone={hasDefault ? 'good' : 'neutral'}>
                  {hasDefault ? text.hasDefault : text.noDefault}
                </Badge>
                {isInLoop && <Badge>{text.inLoop}</Badge>}
              </span>
              <span class="row">
                <Button
                  kind="plain"
                  aria-label={text.show(path, line)}
                  onClick={() => onShow(variable)}
                >
                  {text.line(line)}
                </Button>
                {onInsert !== undefined && !path.includes('[]') && (
                  <Button aria-label={text.insertPath(path)} onClick={() => onInsert(path)}>
                    {text.insert}
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
