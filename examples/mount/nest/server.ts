import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  type CanActivate,
  Body,
  Catch,
  Controller,
  Delete,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpCode,
  HttpException,
  Module,
  Param,
  Post,
  Query,
  Req,
  Res,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { handrail, type NodeRequest, type NodeResponse } from 'handrail/mount';
import { fetchFromListener } from 'handrail/mount/node';
// @ts-ignore: the shop is plain JavaScript, for all of these apps
import { createShop, formOf, problemOf } from '../shop.js';

const shop = createShop();

// What Express passes on.
interface Req extends NodeRequest {
  user?: object;
}
interface Res extends NodeResponse {
  on(event: 'close', listener: () => void): unknown;
  type(type: string): unknown;
  set(name: string, value: string): unknown;
  status(code: number): { json(body: object): unknown };
}

class SignedIn implements CanActivate {
  canActivate(context: ExecutionContext) {
    const req = context.switchToHttp().getRequest();
    req.user = shop.userOf(req.headers.authorization);
    if (req.user === undefined) throw new UnauthorizedException('Sign in first.');
    return true;
  }
}

@Controller('api/books')
class BooksController {
  @Get() list(@Query() query: object) {
    return shop.list(query);
  }
  @Get(':id') get(@Param('id') id: string) {
    return shop.get(Number(id));
  }
  @Post() add(@Body() body: object) {
    return shop.add(body);
  }
  @Delete(':id') @HttpCode(204) remove(@Param('id') id: string) {
    shop.remove(Number(id));
  }
}

@Controller('api')
class ShopController {
  @Get('me') @UseGuards(new SignedIn()) me(@Req() req: Req) {
    return { user: req.user, headers: req.headers };
  }
  @Post('covers') @HttpCode(200) async cover(@Req() req: Req) {
    return shop.cover(await formOf(req.headers, req));
  }
  @Get('events') events(@Query('wait') wait: string, @Res() res: Res) {
    const gone = new AbortController();
    res.on('close', () => gone.abort());
    res.type('text/event-stream');
    Readable.from(shop.events(wait === 'true', gone.signal)).pipe(res);
  }
  @Post('visits') @HttpCode(200) visit(@Req() req: Req, @Res({ passthrough: true }) res: Res) {
    const { body, cookie } = shop.visit(req.headers.cookie);
    res.set('set-cookie', cookie);
    return body;
  }
}

@Catch()
class Problems implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost) {
    const known = error instanceof HttpException ? error.getStatus() : undefined;
    const { status, body } = known ? { status: known, body: { error: error.message } } : problemOf(error);
    host.switchToHttp().getResponse().status(status).json(body);
  }
}

@Module({ controllers: [BooksController, ShopController] })
class AppModule {
  // What it is made of is in its decorator.
  readonly name = 'shop';
}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.useGlobalFilters(new Problems());

const mcp = await handrail({
  document: readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  fetch: fetchFromListener(app.getHttpAdapter().getInstance()),
  forward: ['authorization', 'cookie'],
});
// Before Nest's own routes are added, which is when it starts to listen.
app.use('/mcp', (req: Req, res: Res) => mcp.node(req, res, { user: shop.userOf(req.headers.authorization) }));

await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log(`${await app.getUrl()}/mcp`);
