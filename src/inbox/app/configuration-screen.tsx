import { Message } from '../ui/page/message.tsx';
import { NarrowPage } from '../ui/page/narrow-page.tsx';
import { PageHeading } from '../ui/page/page-heading.tsx';
import { appTexts } from './app-texts.ts';

/** Shows the configuration error to the developer who sets the application up. */
export function ConfigurationScreen({ message }: { readonly message: string }) {
  const texts = appTexts.use();
  return (
    <NarrowPage>
      <PageHeading>{texts.configuration}</PageHeading>
      <div role="alert">
        <Message tone="error">{message}</Message>
      </div>
    </NarrowPage>
  );
}
