/**
 * The main path of the inbox in WebKitGTK, which Playwright cannot drive: a refused and a successful sign-in, a notification that arrives
 * live, is marked as read and stays it, the rows of the preferences, a switch that is saved, and a sign-out. `npm run test:engines` runs
 * it on a display.
 */
import { createWorld } from '../../test/e2e/support/world.ts';
import { startStage } from '../../test/e2e/support/stage.ts';
import { openWebKit } from './web-driver.ts';

// By the label's `for`: a switch lies inside its label, so the next input after the label is the next switch.
const field = (name: string) => `//input[@id=//label[normalize-space()='${name}']/@for]`;
const button = (name: string) => `//button[normalize-space()='${name}' or @aria-label='${name}']`;
const hasText = 'return document.body.innerText.includes(arguments[0])';
const isAt = 'return location.pathname === arguments[0]';

const steps: string[] = [];
const done = (step: string) => {
  steps.push(step);
  console.log(`✓ ${step}`);
};

const stage = await startStage();
const page = await openWebKit();
try {
  const world = createWorld(stage);
  const [ada, grace] = await world.newPair();

  await page.open(`${stage.appUrl}/login`);
  await page.type(field('Email'), ada.email);
  await page.type(field('Password'), 'a wrong password');
  await page.click(button('Sign in'));
  await page.waitFor('the refusal', hasText, 'Wrong email or password.');
  done('a wrong password is refused with a message');

  await page.open(`${stage.appUrl}/login`);
  await page.type(field('Email'), ada.email);
  await page.type(field('Password'), ada.password);
  await page.click(button('Sign in'));
  await page.waitFor('the inbox', isAt, '/home');
  await page.waitFor('the empty list', hasText, 'No notifications yet.');
  done('the right one opens the inbox');

  await world.notify(grace, ada, { about: 'Plan' });
  await page.waitFor('the live notification', hasText, 'in Plan');
  await page.waitFor('the number in the title', `return document.title.includes('(1)')`);
  done('a notification arrives without a reload');

  await page.click(button('Mark all read'));
  await page.waitFor('the title without a number', `return !document.title.includes('(1)')`);
  await page.open(`${stage.appUrl}/home`);
  await page.waitFor('the list after a reload', hasText, 'in Plan');
  if (await page.run(`return document.title.includes('(1)')`))
    throw new Error('The notification is unread after the reload');
  done('a reload keeps it read');

  await page.click(`//a[normalize-space()='Preferences']`);
  await page.waitFor('the switches', `return document.querySelector('[role=group] input')`);
  const broken = await page.run<readonly string[]>(
    `return [...document.querySelectorAll('[role=group]:has(input[type=checkbox])')].filter((row) => {
       const name = document.getElementById(row.getAttribute('aria-labelledby'))?.getBoundingClientRect();
       const control = row.querySelector('input').getBoundingClientRect();
       return name && (name.bottom < control.top || name.top > control.bottom);
     }).map((row) => row.textContent)`,
  );
  if (broken.length > 0) throw new Error(`Names without a switch: ${broken.join('; ')}`);
  done('the switches of the preferences stand beside their names');

  const savedChannels = async () => {
    const query = { select: 'enable_email_notifications,enable_in_app_notifications' };
    const { json } = await world.rest.send('GET', '/notification_preferences', {
      token: ada.accessToken,
      query,
    });
    return JSON.stringify(json);
  };
  await page.click(field('Email notifications'));
  await page.open(`${stage.appUrl}/preferences`);
  await page.waitFor('the switches', `return document.querySelector('[role=group] input')`);
  const shown = await page.run<readonly boolean[]>(
    `return [...document.querySelectorAll('[role=switch]')].slice(0, 2).map(({ checked }) => checked)`,
  );
  if (shown.join() !== 'false,true') throw new Error(`The switches after a reload are ${shown.join()}`);
  const saved = await savedChannels();
  if (saved !== '[{"enable_email_notifications":false,"enable_in_app_notifications":true}]')
    throw new Error(`The server has ${saved}`);
  done('the first switch is saved, although the page is left at once');

  await page.open(`${stage.appUrl}/home`);
  await page.click(`//button[starts-with(@aria-label, 'Account menu')]`);
  await page.click(button('Sign out'));
  await page.waitFor('the sign-in screen', isAt, '/login');
  if (await page.run(`return document.cookie.includes('auth-token')`))
    throw new Error('A session cookie remains');
  done('a sign-out leads to the sign-in screen and leaves no session');
} catch (problem) {
  await page.screenshot('test-results/webkit.png').catch(() => undefined);
  console.error(`✗ after "${steps.at(-1) ?? 'the start'}" (test-results/webkit.png):`, problem);
  process.exitCode = 1;
} finally {
  await page.close();
  await stage.close();
}
