import { describe, expect, it } from 'vitest';
import { saysTheSame, tidyText } from './tidy-text.ts';

describe('a tidied text', () => {
  it.each([
    [
      'Lists {% data variables.product.prodname %} pets {%- ifversion ghes %}here{% endif %}.',
      'Lists pets here.',
    ],
    ['{{% note %}}Mind the dog.{{% /note %}}', 'Mind the dog.'],
    ['{{< tabs >}}One{{< /tabs >}}', 'One'],
    [
      'Use {{name}} and {id} as they are; 50 % off {5%}.',
      'Use {{name}} and {id} as they are; 50 % off {5%}.',
    ],
    ['{% unclosed', '{% unclosed'],
  ])('has no noise of templates: %j', (text, tidy) => {
    expect(tidyText(text, 200)).toBe(tidy);
  });

  it('says the same as another that differs in spelling only', () => {
    expect(saysTheSame('List all pets', 'list all pets.')).toBe(true);
    expect(saysTheSame('List all pets', 'Lists all pets.')).toBe(false);
  });
});
